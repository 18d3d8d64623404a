const choices = [...document.querySelectorAll("[data-decision]")];
const fresh = () => ({ decision: "", question: null, reference: null, quotes: {}, grades: {}, note: "" });
const now = () => data.cases[place];
const of = (one) => filled[one.row.draft] || fresh();
const made = (name, text, attributes = {}) => Object.assign(document.createElement(name), { textContent: text, ...attributes });

// What was mended of a draft: a text that says what it said before is not.
function mended(one) {
  const own = of(one);
  const differs = (text, before) => text !== null && text !== undefined && text.trim() !== before.trim();
  const grades = one.quotes.map((quote, number) => own.grades[number] ?? quote.grade);
  return {
    question: differs(own.question, one.question) ? own.question.trim() : "",
    reference: differs(own.reference, one.reference) ? own.reference.trim() : "",
    grades: grades.some((grade, number) => grade !== one.quotes[number].grade) ? grades.join(" ") : "",
    quotes: one.quotes.map((quote, number) => (differs(own.quotes[number], quote.text) ? `[${number + 1}] ${own.quotes[number].trim()}` : ""))
      .filter(Boolean).join("\n\n"),
  };
}

function decision(one) {
  const said = of(one).decision;
  if (said !== "accept" && said !== "mend") return said;
  return Object.values(mended(one)).some(Boolean) ? "mend" : "accept";
}

function said(one) {
  const decided = decision(one), changes = decided === "mend" ? mended(one) : {};
  const own = Object.fromEntries(Object.entries(changes).map(([name, text]) => [`mended_${name}`, text]));
  return { decision: decided, ...own, note: of(one).note.trim() };
}

function change(into, decided) {
  const own = of(now());
  into(own);
  if (decided !== undefined) own.decision = decided;
  filled[now().row.draft] = own;
  keep();
  told();
}

// A text with the quotes that it holds marked.
function marked(text, quotes) {
  const found = quotes.map((quote) => [text.indexOf(quote), quote.length]).filter(([start]) => start >= 0).sort((a, b) => a[0] - b[0]);
  const parts = [];
  let end = 0;
  for (const [start, length] of found) {
    if (start < end) continue;
    parts.push(text.slice(end, start), made("mark", text.slice(start, start + length)));
    end = start + length;
  }
  return [...parts, text.slice(end)];
}

function quoteOf(quote, number) {
  const own = of(now());
  const say = (word) => data.say[word].replace("{number}", number + 1).replace("{document}", quote.document);
  const text = made("textarea", "", { id: `quote-${number}`, value: own.quotes[number] ?? quote.text, rows: 2 });
  const grade = made("select", "", { id: `grade-${number}` });
  grade.append(...[3, 2, 1, 0].map((value) => made("option", data.say[`grade${value}`], { value })));
  grade.value = own.grades[number] ?? quote.grade;
  const strange = made("p", data.say.strange, { className: "strange" });
  const check = () => {
    const texts = [quote.text, ...now().passages.map((passage) => passage.text)];
    strange.hidden = texts.some((one) => one.includes(text.value.trim()));
  };
  text.addEventListener("input", () => { change((o) => { o.quotes[number] = text.value; }, "mend"); check(); });
  text.addEventListener("change", () => {
    if (text.value.trim()) return; // an empty quote is none: the old one, to be taken out by its grade
    change((o) => { delete o.quotes[number]; });
    text.value = quote.text;
    check();
  });
  grade.addEventListener("change", () => change((o) => { o.grades[number] = Number(grade.value); }, "mend"));
  check();
  const box = made("div", "", { className: "quote" });
  box.append(made("label", say("quote"), { htmlFor: text.id }), text, strange, made("label", say("grade"), { htmlFor: grade.id }), made("br", ""), grade);
  return box;
}

// What a decision changes on the page; the fields stay as they are, somebody may be writing in one.
function told() {
  const decided = decision(now());
  for (const choice of choices) {
    if (choice.hasAttribute("aria-pressed")) choice.setAttribute("aria-pressed", String(choice.dataset.decision === decided));
  }
  at("progress").textContent = data.say.progress.replace("{place}", place + 1).replace("{total}", data.cases.length)
    .replace("{done}", data.cases.filter((one) => decision(one)).length).replace("{kind}", now().row.kind);
}

function show() {
  const one = now(), own = of(one);
  const down = one.filters.filter(([, passed]) => !passed);
  at("down").hidden = !down.length;
  at("question").value = own.question ?? one.question;
  at("reference").value = own.reference ?? one.reference;
  at("note").value = own.note;
  at("answer").hidden = !one.answerable && !one.reference;
  at("unanswerable").hidden = one.answerable;
  at("quotes-head").hidden = !one.quotes.length;
  at("quotes").replaceChildren(...one.quotes.map(quoteOf));
  at("filtered").hidden = !one.filters.length;
  at("filtered").open = down.length > 0;
  at("filters").replaceChildren(...[...down, ...one.filters.filter(([, passed]) => passed)].map(([name, passed, reason]) => {
    const item = made("li", "");
    item.append(made(passed ? "span" : "strong", passed ? `${name} (${data.say.passed})` : name), `: ${reason}`);
    return item;
  }));
  at("near").hidden = !one.nearest;
  if (one.nearest) at("nearest").textContent = `${one.nearest.text}\n(${one.nearest.document}: ${one.nearest.why})`;
  at("passages").replaceChildren(...one.passages.flatMap((passage) => {
    const text = made("p", "");
    text.append(...marked(passage.text, one.quotes.map((quote) => quote.text)));
    return [made("h3", passage.document), text];
  }));
  told();
}

function decide(word) {
  if (word === "accept") {
    change(() => {}, "accept");
    move(1);
  } else if (word === "mend") {
    at("question").focus();
  } else if (word === "reject") {
    change(() => {}, "reject");
    at("note").focus();
  } else {
    delete filled[now().row.draft];
    keep();
    show();
  }
}

function pressed(event) {
  const word = { 1: "accept", 2: "mend", 0: "reject", 3: "undo" }[event.key];
  if (word === undefined) return;
  event.preventDefault(); // the key is not a text of the field that gets the focus
  decide(word);
}

for (const choice of choices) choice.addEventListener("click", () => decide(choice.dataset.decision));
for (const name of ["question", "reference"]) {
  at(name).addEventListener("input", () => change((own) => { own[name] = at(name).value; }, "mend"));
  at(name).addEventListener("change", () => {
    if (at(name).value.trim()) return; // an empty text is none: the old one
    change((own) => { own[name] = null; });
    at(name).value = now()[name];
  });
}
at("note").addEventListener("input", () => change((own) => { own.note = at("note").value; }));
at("note").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey) return;
  event.preventDefault();
  at("note").blur();
  move(1);
});
show();
