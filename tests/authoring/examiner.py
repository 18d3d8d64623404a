"""A model that drafts, answers and rules by plain rules, as the content of the endpoint of the tests."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from tests.endpoint import Body

_FENCED = re.compile(r"<(\w+) (\w{8})>\n(.*?)\n</\1 \2>", re.DOTALL)
_ABSTAINS = "No hay información suficiente para responder."


def nonsense(text: str) -> str:
    """A question of four words that no passage has, another for another text.

    >>> nonsense("a") == nonsense("a"), nonsense("a") == nonsense("b")
    (True, False)
    """
    letters = sha256(text.encode()).hexdigest().translate(str.maketrans("0123456789", "ghijklmnop"))
    return f"¿{' '.join(letters[place : place + 6] for place in range(0, 24, 6))}?"


@dataclass(frozen=True)
class Examiner:
    """Quotes the last line of a passage, and answers by it.

    ``answered`` makes the reference of the quotes, ``reads`` the answer of the passages; ``knows``: what it answers
    without any; ``grade``: of every passage, instead of whether the reference stands in it; ``answers_all``: also what
    it drafted as unanswerable.
    """

    quoted: Callable[[str], str] = lambda passage: passage.strip().splitlines()[-1]
    asked: Callable[[str], str] = nonsense
    answered: Callable[[str], str] = str
    reads: Callable[[str], str] = str
    grade: int | None = None
    knows: str = _ABSTAINS
    answers_all: bool = False
    unanswerable: list[str] = field(default_factory=list)

    def __call__(self, body: Body) -> str:
        messages = [message["content"] for message in body["messages"]]
        texts = {name: text for name, _, text in _FENCED.findall(messages[-1])}
        wanted = body.get("response_format", {}).get("json_schema", {})
        fields = wanted.get("schema", {}).get("properties", {})
        if wanted.get("name") == "DraftedQuestion":
            return self._said(self._drafted(messages[0], texts, fields))
        if wanted.get("name") == "Rulings":
            there = "\n".join(text for name, text in texts.items() if name.startswith("passage"))
            return self._said({name: self._ruling(texts[name], there) for name in fields})
        if wanted.get("name") == "Grades":
            by_words = {name: 3 if texts["answer"] in texts[name] else 0 for name in fields}
            grades = by_words if self.grade is None else dict.fromkeys(fields, self.grade)
            return self._said({name: {"reason": "así es", "grade": grade} for name, grade in grades.items()})
        passages = [line for line in messages[-1].splitlines() if line.startswith("[")]
        if not passages:
            return self.knows
        if not self.answers_all and any(question in messages[-1] for question in self.unanswerable):
            return _ABSTAINS
        return self.reads(" ".join(line.partition("] ")[2] for line in passages))

    def _drafted(self, system: str, texts: dict[str, str], fields: dict[str, object]) -> dict[str, str]:
        quotes = {name: self.quoted(texts[name.replace("quote", "passage")]) for name in fields if "quote" in name}
        question = self.asked(system + "".join(texts.values()))
        if not quotes:
            self.unanswerable.append(question)
            return {"lacks": "Habla de ello y no dice cuánto cuesta.", "question": question}
        return {**quotes, "question": question, "answer": self.answered(" ".join(quotes.values()))}

    @staticmethod
    def _ruling(statement: str, there: str) -> dict[str, object]:
        return {"reason": "así es", "supported": " ".join(statement.split()) in " ".join(there.split())}

    @staticmethod
    def _said(reply: Mapping[str, object]) -> str:
        return json.dumps(reply, ensure_ascii=False)
