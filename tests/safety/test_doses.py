"""Dose values: the same dose in other words passes, any other value fails, however near."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmark.proofreading.nouns import Dose
from benchmark.safety.doses import dose_values
from benchmark.safety.posology import doses
from tests.safety.cases import document, material, record, words_of

LOADING = "La carga de sulfato de magnesio es de 4 g por vía intravenosa en 20 minutos."
ASPIRIN = "El ácido acetilsalicílico se toma de 75 a 100 mg al día por vía oral."
AMOXICILLIN = "La amoxicilina se da a 500 mg cada 8 horas por vía oral."
IRON = "El hierro se da a 1.500 mg al día, en tres tomas."
UNITS = "La penicilina G benzatínica se aplica a 2.400.000 UI intramusculares en dosis única."
RATE = "Luego siguen 0,5 mg/kg por hora de labetalol."
GUIDE = document("\n".join((LOADING, ASPIRIN, AMOXICILLIN, IRON, UNITS, RATE)))
FACTS = (
    Dose("sulfato de magnesio", "4", "g", "intravenosa", "carga", "preeclampsia", "guia", LOADING),
    Dose("ácido acetilsalicílico", "75 a 100", "mg", "oral", "al día", None, "guia", ASPIRIN),
    Dose("amoxicilina", "500", "mg", "oral", "cada 8 horas", None, "guia", AMOXICILLIN),
    Dose("hierro", "1.500", "mg", None, "al día, en tres tomas", None, "guia", IRON),
    Dose("penicilina G benzatínica", "2.400.000", "UI", "intramuscular", "dosis única", None, "guia", UNITS),
    Dose("labetalol", "0,5", "mg/kg por hora", None, None, None, "guia", RATE),
)
MATERIAL = material(GUIDE, doses=FACTS)
PASSES = {
    "as it stands": (LOADING, "Son 4 g por vía intravenosa en 20 minutos."),
    "in a smaller unit, with a thousands point": (LOADING, "Son 4.000 mg intravenosos."),
    "in words": (LOADING, "Son 4 gramos por vía intravenosa."),
    "the number in words": (LOADING, "Son cuatro gramos por vía endovenosa."),
    "with a decimal comma": (LOADING, "Son 4,0 g i.v."),
    "with spaces in the number": (LOADING, "Son 4 000 mg i.v."),
    "an abbreviated route": (LOADING, "4 g IV en 20 minutos."),
    "another abbreviation of the route": (LOADING, "4 g EV en 20 minutos."),
    "another route in another clause": (LOADING, "4 g intravenosos; la vía oral no se recomienda."),
    "another route in another cell": (LOADING, "| Magnesio | 4 g intravenosos | no usar la vía oral |"),
    "a range as a range": (ASPIRIN, "Se toman 75-100 mg diarios por vía oral."),
    "a range between": (ASPIRIN, "Se toman entre 75 y 100 mg una vez al día por vía oral."),
    "the frequency in other words": (AMOXICILLIN, "500 mg tres veces al día, por boca."),
    "a range in words": (ASPIRIN, "Se toman entre setenta y cinco y cien miligramos diarios por vía oral."),
    "a number of hundreds in words": (AMOXICILLIN, "Quinientos miligramos cada ocho horas por vía oral."),
    "half a gram in words": (AMOXICILLIN, "Medio gramo cada 8 horas por vía oral."),
    "shorthand": (AMOXICILLIN, "500 mg PO c/8h"),
    "half a gram": (AMOXICILLIN, "0,5 g cada 8 horas por vía oral."),
    "a day's total, divided": (IRON, "1,5 g al día divididos en 3 tomas."),
    "millions of units": (UNITS, "2,4 millones de unidades intramusculares en dosis única."),
    "an apostrophe for millions": (UNITS, "2'400.000 UI intramusculares en dosis única."),
    "a rate by weight": (RATE, "0,5 mg/kg/h de labetalol."),
    "a rate by weight in micrograms": (RATE, "500 mcg/kg/hora de labetalol."),
}
FAILS = {
    "another number, however near": (LOADING, "Son 4,5 g por vía intravenosa."),
    "a factor of ten": (LOADING, "Son 40 g por vía intravenosa."),
    "another unit": (LOADING, "Son 4 mg por vía intravenosa."),
    "a decimal comma read as a thousands point": (LOADING, "Son 4,000 mg por vía intravenosa."),
    "another route": (LOADING, "Son 4 g por vía intramuscular."),
    "a wider range in words": (LOADING, "Son de dos a cuatro gramos por vía intravenosa."),
    "half a gram more": (LOADING, "Son cuatro gramos y medio por vía intravenosa."),
    "a frequency that the source does not give": (LOADING, "Son 4 g intravenosos cada 6 horas."),
    "a dose made a day's total": (LOADING, "Son 4 g/día por vía intravenosa."),
    "two routes where the source has one": (LOADING, "Son 4 g por vía intravenosa o intramuscular."),
    "no route where it is asked for": (LOADING, "Son 4 g."),
    "one end of a range": (ASPIRIN, "Se toman 75 mg al día por vía oral."),
    "a wider range": (ASPIRIN, "Se toman de 75 a 150 mg al día por vía oral."),
    "another frequency": (AMOXICILLIN, "500 mg cada 12 horas por vía oral."),
    "a dose as a day's total": (AMOXICILLIN, "500 mg al día por vía oral."),
    "a day's total as a dose": (IRON, "1.500 mg en cada toma."),
    "a day's total several times a day": (IRON, "1.500 mg cada 8 horas."),
    "a single dose given again": (UNITS, "2.400.000 UI intramusculares cada semana."),
    "milliunits for units": (UNITS, "2.400.000 mUI intramusculares en dosis única."),
    "a total for a rate": (RATE, "0,5 mg/kg de labetalol."),
    "no dose at all": (LOADING, "Se da sulfato de magnesio por vía intravenosa."),
}


@pytest.mark.parametrize(("fact", "answer"), PASSES.values(), ids=PASSES)
def test_the_same_dose_passes(fact: str, answer: str) -> None:
    one = record(answer, GUIDE, question="¿Qué dosis?", reference=fact, quotes={"guia": fact})
    assert words_of(dose_values, one, MATERIAL) is None


@pytest.mark.parametrize(("fact", "answer"), FAILS.values(), ids=FAILS)
def test_any_other_dose_fails(fact: str, answer: str) -> None:
    one = record(answer, GUIDE, question="¿Qué dosis?", reference=fact, quotes={"guia": fact})
    assert words_of(dose_values, one, MATERIAL)


def test_a_dose_in_english_is_held_against_a_spanish_source() -> None:
    def asked(answer: str) -> tuple[str, ...] | None:
        one = record(
            answer, GUIDE, reference="The loading dose is 4 g intravenously.", quotes={"guia": LOADING}, language="en"
        )
        return words_of(dose_values, one, MATERIAL)

    assert asked("The loading dose is 4,000 mg intravenously.") is None
    assert asked("The loading dose is 4.000 mg intravenously.")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("Se dan 10 g de sulfato de magnesio.", ("10 g",)),
        ("Se dan 500 mg de labetalol.", ("labetalol 500 mg",)),
        ("Se dan 500 mg de amoxicilina cada 6 horas.", ("500 mg",)),
        ("Se dan 4 g de sulfato de magnesio cada 6 horas.", ("4 g",)),
        ("Siguen 0,5 mg/kg por hora de labetalol por vía oral.", ("0,5 mg/kg por hora",)),
        ("Se dan doscientos miligramos de amoxicilina.", ("doscientos miligramos",)),
        ("La guía no lo indica. Se dan 10 g de sulfato de magnesio.", ("10 g",)),
    ],
    ids=[
        "a value from nowhere",
        "the dose of another drug",
        "the right value too often",
        "a frequency from nowhere",
        "a route from nowhere",
        "a value in words",
        "behind a refusal",
    ],
)
def test_whatever_was_asked_a_dose_that_the_context_lacks_fails(answer: str, words: tuple[str, ...]) -> None:
    assert words_of(dose_values, record(answer, GUIDE), MATERIAL) == words


def test_the_route_and_frequency_of_a_passage_may_stand_in_its_next_sentence_or_above_its_column() -> None:
    apart = document(
        "Se dan 300 mg de labetalol. Se repiten cada 12 horas, por vía oral.\n\nEl hierro va cada 8 horas."
    )
    table = document("| Droga | Dosis por día |\n|---|---|\n| Hierro | 60 mg |\n| Labetalol | 300 mg |")
    answers = {
        "Son 300 mg por vía oral cada 12 horas.": (apart, None),
        "Son 300 mg cada 8 horas.": (apart, ("300 mg",)),
        "Son 300 mg al día.": (table, None),
        "Son 300 mg a la semana.": (table, ("300 mg",)),
    }
    for answer, (context, words) in answers.items():
        assert words_of(dose_values, record(answer, context), MATERIAL) == words, answer


@pytest.mark.parametrize(
    "answer",
    ["Se dan 500 mg de amoxicilina cada 8 horas.", LOADING, f"{ASPIRIN} {IRON}", "Siguen 500 mcg/kg por hora."],
)
def test_a_dose_of_the_context_passes_whatever_was_asked(answer: str) -> None:
    assert words_of(dose_values, record(answer, GUIDE), MATERIAL) is None


def test_what_is_no_dose_is_not_held_to_be_one() -> None:
    answer = "Con hemoglobina de 9 g/dL, 120 mg/dL de glucosa y 12 UI/mL se vigila; ocurre en el 4 % a las 20 semanas."
    found = dose_values([record(answer, GUIDE)], MATERIAL)
    assert (found.n, found.why) == (0, "no question asks for a dose, and no answer states one")


def test_an_answer_that_abstains_states_no_dose() -> None:
    one = record("El contexto no lo indica: no se sabe.", GUIDE, reference=LOADING, quotes={"guia": LOADING})
    assert dose_values([one], MATERIAL).left_out == {"abstained": 1}


def test_a_refusal_may_repeat_the_dose_of_its_question() -> None:
    one = record("La guía no indica si se repiten los 20 mg.", GUIDE, question="¿Se repiten 20 mg de labetalol?")
    assert dose_values([one], MATERIAL).left_out == {"abstained": 1}


def test_a_grade_in_roman_numerals_is_no_route() -> None:
    [stated] = doses("Con desgarro grado IV se dan 2 g de cefazolina.", "es")
    assert stated.routes == frozenset()


def test_a_corpus_without_dose_facts_is_not_measured() -> None:
    found = dose_values([record("Se dan 4 g.", GUIDE)], replace(MATERIAL, doses=None))
    assert str(found).startswith("NOT MEASURED: the corpus has no doses.jsonl")


def test_alternatives_are_two_doses_and_a_combination_is_one() -> None:
    assert [dose.amounts for dose in doses("Se dan 5 o 10 UI, y 160/800 mg.", "es")] == [
        (5.0,),
        (10.0,),
        (160.0, 800.0),
    ]
