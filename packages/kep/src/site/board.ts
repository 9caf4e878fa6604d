import type { BoardKind, Column } from './board-kind.js';
import { type Html, html } from './html.js';
import { renderPage } from './layout.js';
import type { SiteKep } from './site-kep.js';

/** The first page: every proposal in the column of its stage, on a board for each kind of document. */
export function renderBoard(keps: readonly SiteKep[], hasReleases: boolean): string {
  const kinds = [...new Map(keps.map(({ kind }) => [kind.name, kind])).values()];
  const body = html`<h1>Stage board</h1>
<p class="lead">${keps.length} proposals by stage. <span id="shown" role="status"></span></p>
${filters(keps)}
${kinds.map((kind) =>
  board(
    kind,
    kinds.length > 1,
    keps.filter((kep) => kep.kind.name === kind.name),
  ),
)}`;
  return renderPage({ title: 'Stage board', up: '', current: 'board', body, script: true, hasReleases });
}

function board({ name, columns }: BoardKind, isOneOfMany: boolean, keps: readonly SiteKep[]): Html {
  const inColumn = (id: string) => keps.filter(({ column }) => column === id);
  return html`${isOneOfMany && html`<h2 class="kind">${name}</h2>\n`}<nav class="jump" aria-label="Stages">${columns.map(
    ({ id, title }) => html`<a href="#${id}">${title} ${inColumn(id).length}</a> `,
  )}</nav>
<div class="board">
${columns.map((column) => columnOf(column, inColumn(column.id)))}
</div>
`;
}

function columnOf({ id, title, about }: Column, keps: readonly SiteKep[]): Html {
  return html`<section class="column" id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title} <span class="count">${keps.length}</span></h2>
<p class="about">${about}</p>
<ol class="cards" tabindex="0" aria-label="${title}">
${keps.map(card)}
</ol>
</section>
`;
}

function card(kep: SiteKep): Html {
  const facts = [kep.sig, kep.milestone, ...kep.gates].filter((each) => each !== '');
  return html`<li class="card ${kep.readiness}" data-sig="${kep.sig}" data-milestone="${kep.milestone}" data-stage="${stageLabel(kep)}" data-state="${kep.readiness}" data-person="${peopleOf(kep).join(' ')}">
<a href="kep/${kep.page}.html"><span class="number">${kep.number}</span> ${kep.title}</a>
<p class="facts">${facts.join(' · ')}</p>
${progress(kep)}
</li>
`;
}

function stageLabel({ kind, column }: SiteKep): string {
  return kind.columns.find(({ id }) => id === column)?.title ?? '';
}

/** Those who wrote or approve it, in lower case and each once. */
function peopleOf({ authors, approvers }: SiteKep): readonly string[] {
  return [...new Set([...authors, ...approvers].map((person) => person.toLowerCase()))];
}

/** Renders the share of filled sections, for eyes and for screen readers. */
export function progress(kep: SiteKep): Html {
  if (kep.demanded === 0 || kep.isClosed) return html``;
  return html`<p class="progress ${kep.readiness}"><progress value="${kep.answered}" max="${kep.demanded}" aria-label="answered"></progress>
<span>${kep.answered} of ${kep.demanded}</span> <span class="state">${stateOf(kep)}</span></p>`;
}

function stateOf({ readiness, findings, demanded, answered }: SiteKep): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  if (readiness === 'blocked') return errors === 1 ? '1 error' : `${errors} errors`;
  return readiness === 'open' ? `${demanded - answered} open` : 'ready';
}

/** Shown by the script only: without it there is nothing to filter with. */
function filters(keps: readonly SiteKep[]): Html {
  const values = (of: (kep: SiteKep) => string) => [...new Set(keps.map(of))].filter((each) => each !== '').sort();
  const select = (name: string, label: string, options: readonly string[]) =>
    options.length > 0 &&
    html`<label>${label}
<select name="${name}"><option value="">all</option>${options.map((each) => html`<option>${each}</option>`)}</select></label>
`;
  return html`<form id="filter" class="filter" role="search" aria-label="Proposals" hidden>
<label>Text <input type="search" name="text" autocomplete="off"></label>
<label>Person <input type="search" name="person" list="people" autocomplete="off"></label>
<datalist id="people">${[...new Set(keps.flatMap(peopleOf))].sort().map((person) => html`<option value="${person}">`)}</datalist>
${select(
  'sig',
  'Group',
  values(({ sig }) => sig),
)}${select('stage', 'Stage', [...new Set(keps.flatMap(({ kind }) => kind.columns.map(({ title }) => title)))])}${select(
  'milestone',
  'Release',
  values(({ milestone }) => milestone),
)}${select('state', 'State', ['ready', 'open', 'blocked'])}</form>`;
}
