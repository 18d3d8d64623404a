"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const key = `ragsweep labels ${data.name}`;
const columns = ["case", "question", "claim", "answer", "context", "language", "label", "annotator"];
const choices = [...document.querySelectorAll("[data-label]")];
let place = 0;
let labels = {};
try {
  const kept = JSON.parse(localStorage.getItem(key) || "{}");
  labels = kept.labels || {};
  at("annotator").value = kept.annotator || "";
} catch { /* a browser that keeps nothing for files: the labels live as long as the page */ }

function keep() {
  try { localStorage.setItem(key, JSON.stringify({ labels, annotator: at("annotator").value })); } catch { /* as above */ }
}

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
  for (const choice of choices) choice.setAttribute("aria-pressed", String(labels[one.row.case] === choice.dataset.label));
  at("progress").textContent = data.progress.replace("{place}", place + 1).replace("{total}", data.cases.length)
    .replace("{done}", Object.keys(labels).length);
}

function move(by) {
  place = Math.min(Math.max(place + by, 0), data.cases.length - 1);
  show();
}

function label(value) {
  labels[data.cases[place].row.case] = value;
  keep();
  move(1);
}

function csv() {
  const quoted = (value) => `"${String(value).replaceAll('"', '""')}"`;
  const annotator = at("annotator").value.trim();
  const rows = data.cases.map(({ row }) => {
    const whole = { ...row, label: labels[row.case] ?? "", annotator };
    return columns.map((name) => quoted(whole[name])).join(",");
  });
  return `\ufeff${columns.join(",")}\n${rows.join("\n")}\n`;
}

for (const choice of choices) choice.addEventListener("click", () => label(choice.dataset.label));
at("previous").addEventListener("click", () => move(-1));
at("next").addEventListener("click", () => move(1));
at("annotator").addEventListener("input", keep);
at("download").addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
  link.download = `labels-${at("annotator").value.trim() || "mine"}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
});
document.addEventListener("keydown", (event) => {
  if (event.target.tagName === "INPUT" || event.ctrlKey || event.metaKey || event.altKey) return;
  const chosen = { 1: "1", 0: "0", 2: "?" }[event.key];
  if (chosen !== undefined) label(chosen);
  else if (event.key === "ArrowRight") move(1);
  else if (event.key === "ArrowLeft") move(-1);
});
show();
