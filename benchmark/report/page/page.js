"use strict";
// All text comes in through textContent: an answer that is HTML stays text.
const data = JSON.parse(document.getElementById("data").textContent);
const say = data.say, text = (n) => data.texts[n];

function el(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  for (const child of children.flat(3)) if (child !== null && child !== undefined) made.append(child);
  return made;
}

// ---------------------------------------------------------------------------------------------- the leaderboard

for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  table.querySelectorAll("thead th").forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const order = head.getAttribute("aria-sort") || "none";
      const falls = order === "none" ? head.dataset.first !== "ascending" : order === "ascending";
      table.querySelectorAll("thead th").forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", falls ? "descending" : "ascending");
      const valued = [...body.rows].map((row) => [row.cells[column].dataset.value ?? row.cells[column].textContent, row]);
      const compare = (a, b) => {
        if (a === "" || b === "") return (a === "") - (b === "") || 0; // what was not measured stands last, either way
        const [x, y] = [Number(a), Number(b)];
        const told = Number.isNaN(x) || Number.isNaN(y) ? String(a).localeCompare(String(b)) : x - y;
        return falls ? -told : told;
      };
      valued.sort((a, b) => compare(a[0], b[0])).forEach(([, row]) => body.append(row));
    });
  });
}
const filter = document.getElementById("filter"), bounds = document.getElementById("bounds");
function filterRuns() {
  for (const row of document.querySelectorAll("#board tbody tr")) {
    const named = row.cells[0].textContent.toLowerCase().includes(filter.value.toLowerCase());
    row.hidden = !named || (!bounds.checked && row.classList.contains("bound"));
  }
}
filter.addEventListener("input", filterRuns);
bounds.addEventListener("change", filterRuns);

// ------------------------------------------------------------------------------------------------ the questions

const list = document.getElementById("list"), count = document.getElementById("count");
const search = document.getElementById("search"), fate = document.getElementById("fate"), who = document.getElementById("who");
const signs = { right: "✓", not_found: "?", misread: "✗", not_judged: "·", failed: "!" };
Object.entries(data.fates).forEach(([name, label]) => fate.append(el("option", { value: name }, label)));
data.runs.forEach((run, n) => who.append(el("option", { value: n }, run.name)));
document.getElementById("key").append(...Object.entries(data.fates).map(([name, label]) => el("span", {}, el("span", { class: "chip fate-" + name, "aria-hidden": "true" }, signs[name]), label)));

const PAGE = 60;
let shown = PAGE;
function matches(question) {
  const sought = search.value.trim().toLowerCase();
  if (sought && !(question.id + " " + text(question.question) + " " + question.tags.map(text).join(" ")).toLowerCase().includes(sought)) return false;
  const looked = who.value === "" ? question.runs : [question.runs[Number(who.value)]];
  if (fate.value === "differs") return new Set(question.runs.filter(Boolean).map((run) => run.fate)).size > 1;
  return fate.value === "" || looked.some((run) => run && run.fate === fate.value);
}
function listQuestions() {
  const found = data.questions.filter(matches);
  count.textContent = say.counted.replace("{found}", found.length).replace("{all}", data.questions.length);
  list.replaceChildren(...found.slice(0, shown).map(item), ...rest(found));
}
function rest(found) {
  if (found.length <= shown) return [];
  const more = el("button", { type: "button" }, say.more.replace("{n}", found.length - shown));
  more.addEventListener("click", () => showMore(200));
  return [more];
}
function showMore(n) { // below those that are there, of which some may be open
  const found = data.questions.filter(matches), from = shown;
  shown += n;
  if (found.length > from) list.lastChild.replaceWith(...found.slice(from, shown).map(item), ...rest(found));
}
function item(question) {
  const chips = question.runs.map((run, n) => run && el("span", { class: "chip fate-" + run.fate, title: data.runs[n].name + ": " + text(run.cause) }, signs[run.fate]));
  const made = el("details", { id: "q-" + question.id }, el("summary", {}, el("code", {}, question.id), text(question.question), el("span", { class: "chips" }, chips)));
  made.addEventListener("toggle", () => { if (made.open && made.children.length === 1) made.append(whole(question)); });
  return made;
}
function whole(question) {
  const gold = question.evidence.map((one, n) => [
    el("p", { class: "note" }, `${say.evidence} ${n + 1} · ${text(one.document)}, ${one.start}–${one.end} · ${say.grade} ${one.grade}`),
    el("blockquote", { class: "gold" }, text(one.text)),
  ]);
  const facts = [question.answerable ? say.answerable : say.unanswerable, ...question.tags.map(text)].join(" · ");
  return el("div", { class: "inside" },
    el("p", { class: "note" }, facts),
    el("h4", {}, say.reference), el("blockquote", {}, question.reference === null ? say.no_reference : text(question.reference)),
    question.evidence.length ? el("h4", {}, say.evidence) : null, gold,
    el("h4", {}, say.systems), overview(question),
    question.runs.map((run, n) => run && system(question, run, n)));
}
function overview(question) {
  const rows = question.runs.map((run, n) => run && el("tr", {}, el("th", { scope: "row" }, data.runs[n].name),
    el("td", { class: "text" }, text(run.cause)),
    el("td", { class: "text" }, run.stages.map((stage) => text(stage.name) + " " + ranks(stage)).join(" → ") || "–"),
    el("td", { class: "text" }, run.answer === null ? run.failures.map(text).join("; ") : text(run.answer))));
  const heads = [say.system, say.cause, say.ranks, say.answer].map((head, n) => el("th", { scope: "col", class: n ? "text" : "" }, head));
  return el("div", { class: "scroll", tabindex: "0" }, el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows)));
}
const ranks = (stage) => stage.ranks.map((rank, n) => (rank !== null ? "#" + rank : stage.parts[n] !== null ? `(#${stage.parts[n]})` : "–")).join(", ") || "–";
function system(question, run, n) {
  const made = el("details", { class: "system" }, el("summary", {}, el("span", { class: "chip fate-" + run.fate, style: "display:inline-block" }, signs[run.fate]), " " + data.runs[n].name + ": " + text(run.cause)));
  made.addEventListener("toggle", () => { if (made.open && made.children.length === 1) made.append(answered(run)); });
  return made;
}
function answered(run) {
  const sent = run.stages.find((stage, n) => n === run.stages.length - 1);
  const before = run.stages.slice(0, -1);
  const scored = data.metrics.map((name, n) => [name, run.scores[n], text(run.why[n])]).filter(([, value, why]) => value !== null || why);
  return el("div", { class: "inside" },
    run.failures.map((one) => el("p", { class: "caution" }, text(one))),
    el("h4", {}, run.abstained ? say.abstained : say.answer), run.answer === null ? el("p", { class: "none" }, say.no_answer) : el("blockquote", {}, text(run.answer)),
    text(run.reason) ? el("p", {}, text(run.reason)) : null,
    run.instead ? [el("h4", {}, say.instead), el("ol", { class: "passages" }, passage(run.instead))] : null,
    run.todo === null ? null : el("p", {}, el("strong", {}, say.todo), " ", text(run.todo)),
    verdicts(say.supported, run.supported), verdicts(say.conveyed, run.conveyed), verdicts(say.attributed, run.attributed),
    el("h4", {}, say.sent), sent && sent.hits.length ? el("ol", { class: "passages" }, sent.hits.map((hit, n) => passage(hit, run.useful && run.useful[n]))) : el("p", { class: "none" }, say.nothing_sent),
    before.length ? el("h4", {}, say.retrieved) : null,
    before.map((stage) => lazy(`${text(stage.name)}: ${stage.hits.length} · ${say.ranks} ${ranks(stage)}`, () => el("ol", { class: "passages" }, stage.hits.map((hit) => passage(hit))))),
    run.implied.length ? el("h4", {}, say.implied) : null, run.implied.length ? el("ul", {}, run.implied.map(([words, near]) => el("li", {}, text(words), el("small", { class: "note" }, near)))) : null,
    lazy(say.scores, () => el("div", { class: "scroll", tabindex: "0" }, el("table", {}, el("tbody", {}, scored.map(([name, value, why]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, value === null ? say.not_measured : String(value)), el("td", { class: "text" }, why))))))));
}
function lazy(title, make) {
  const made = el("details", {}, el("summary", {}, title));
  made.addEventListener("toggle", () => { if (made.open && made.children.length === 1) made.append(el("div", { class: "inside" }, make())); });
  return made;
}
function passage([number, score, gold], verdict) {
  const [document_, start, end, words] = data.passages[number];
  const marks = gold.length ? ` · ★ ${say.evidence} ${gold.map((n) => n + 1).join(", ")}` : "";
  const useful = verdict ? [el("small", { class: "note" }, (verdict[1] ? "✓ " + say.useful : "✗ " + say.not_useful) + (text(verdict[2]) ? ": " + text(verdict[2]) : ""))] : [];
  return el("li", { class: gold.length ? "gold" : null }, el("small", { class: "note" }, `${text(document_)}, ${start}–${end} · ${score}${marks}`), text(words).trim(), useful);
}
function verdicts(title, found) {
  if (found === null || !found.length) return null;
  return [el("h4", {}, title), el("ul", { class: "verdicts" }, found.map(([claim, holds, reason]) => el("li", { class: holds ? "holds" : "fails" }, text(claim), el("small", {}, text(reason)))))];
}
addEventListener("beforeprint", () => showMore(data.questions.length));
for (const control of [search, fate, who]) control.addEventListener("input", () => { shown = PAGE; listQuestions(); });
listQuestions();
function openTarget() {
  const id = decodeURIComponent(location.hash.slice(1));
  if (!id.startsWith("q-")) return;
  if (!document.getElementById(id)) { search.value = ""; fate.value = ""; who.value = ""; shown = data.questions.length; listQuestions(); }
  const found = document.getElementById(id);
  if (found) { found.open = true; found.scrollIntoView(); }
}
addEventListener("hashchange", openTarget);
openTarget();
document.documentElement.dataset.ready = "yes";
