const choices = [...document.querySelectorAll("[data-label]")];

function show() {
  const one = data.cases[place];
  at("question").textContent = one.row.question;
  at("claim").textContent = one.claim;
  at("answer").textContent = one.row.answer;
  at("context").replaceChildren(...one.context.map((text) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  }));
  for (const choice of choices) choice.setAttribute("aria-pressed", String(filled[one.row.case] === choice.dataset.label));
  at("progress").textContent = data.say.progress.replace("{place}", place + 1).replace("{total}", data.cases.length)
    .replace("{done}", Object.keys(filled).length);
}

function label(value) {
  filled[data.cases[place].row.case] = value;
  keep();
  move(1);
}

function said(one) {
  return { label: filled[one.row.case] ?? "" };
}

function pressed(event) {
  const chosen = { 1: "1", 0: "0", 2: "?" }[event.key];
  if (chosen !== undefined) label(chosen);
}

for (const choice of choices) choice.addEventListener("click", () => label(choice.dataset.label));
show();
