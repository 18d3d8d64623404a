"""What the measuring server says: a reply that fits whatever is asked, by the prompt alone."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from tests.endpoint import Body

STATEMENTS = 3


def content(body: Body) -> str:
    asked = str(body["messages"][-1]["content"])
    random = Random(f"{body['model']} {asked}")
    if "\ninput: " in asked:
        return json.dumps(_for_library(asked, random), ensure_ascii=False)
    wanted = body.get("response_format")
    if wanted is None:
        return _answer(body, random)
    schema = wanted["json_schema"]["schema"]
    return json.dumps(_fitting(schema, schema.get("$defs", {}), random), ensure_ascii=False)


def _answer(body: Body, random: Random) -> str:
    """Two models answer alike now and then, as they do."""
    passages = [line for line in str(body["messages"][-1]["content"]).splitlines() if line.startswith("[")]
    words = random.choice(passages).split()[1:] if passages else ["No", "se", "sabe."]
    begin = random.randrange(max(1, len(words) - 20))
    return f"{' '.join(words[begin : begin + 20])} [1]."


def _for_library(asked: str, random: Random) -> Any:
    """An object for a prompt of the library ``ragas``, which shows its input as JSON."""
    given = json.loads(asked.rpartition("\ninput: ")[2].rpartition("\nOutput: ")[0])
    if "statements" in given:
        return {
            "statements": [{"statement": one, "reason": "r", "verdict": _bit(random)} for one in given["statements"]]
        }
    if "context" not in given and "answer" in given:
        return {"statements": [f"Afirmación {place} de la respuesta." for place in range(STATEMENTS)]}
    if "response" in given:
        return {"question": f"¿Qué se hace en el caso {random.randrange(100)}?", "noncommittal": 0}
    if '"attributed"' in asked:
        found = [
            {"statement": f"Frase {place}.", "reason": "r", "attributed": _bit(random)} for place in range(STATEMENTS)
        ]
        return {"classifications": found}
    return {"reason": "r", "verdict": _bit(random)}


def _bit(random: Random) -> int:
    return random.choice([0, 1])


def _fitting(node: Any, named: Any, random: Random) -> Any:
    """Some value of a JSON schema."""
    if "$ref" in node:
        return _fitting(named[node["$ref"].rpartition("/")[2]], named, random)
    if node.get("type") == "object":
        return {name: _fitting(part, named, random) for name, part in node["properties"].items()}
    if node.get("type") == "array":
        return [_fitting(node["items"], named, random) for _ in range(STATEMENTS)]
    if node.get("type") == "boolean":
        return random.random() < 0.5
    return f"Texto {random.randrange(1000)}."
