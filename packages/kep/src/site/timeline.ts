import { type Html, html } from './html.js';
import { renderPage } from './layout.js';
import type { SiteKep } from './site-kep.js';

/** A stretch of releases at one stage; `end` is the last release of it. */
export interface Bar {
  readonly stage: string;
  readonly start: number;
  readonly end: number;
  /** Begins after the release that is out. */
  readonly planned: boolean;
}

/** Longer than this at beta is worth a remark. */
const longBeta = 6;
/** No table shows more releases; what is older begins at its left edge. */
const maxReleases = 24;

/**
 * The stages of a proposal as stretches on the row of releases. A stage lasts until the release before the
 * next one; the last one lasts until `last`, unless it is planned or the end of the way.
 */
export function barsOf(
  { milestones, isClosed }: Pick<SiteKep, 'milestones' | 'isClosed'>,
  current: number,
  last: number,
): Bar[] {
  const order = ['alpha', 'beta', 'stable', 'deprecated', 'disabled', 'removed'];
  const starts = order
    .flatMap((stage) => {
      const start = milestones.get(stage);
      return start === undefined ? [] : [{ stage, start }];
    })
    .sort((one, other) => one.start - other.start || order.indexOf(one.stage) - order.indexOf(other.stage));
  return starts.flatMap(({ stage, start }, at) => {
    const following = starts[at + 1]?.start;
    const open =
      isClosed || stage === 'stable' || stage === 'removed' ? start : Math.max(start, Math.min(current, last));
    const end = following === undefined ? open : following - 1;
    return end < start ? [] : [{ stage, start, end, planned: start > current }];
  });
}

/** The page with the releases of all proposals, group by group. `current` is the minor version that is out. */
export function renderTimeline(keps: readonly SiteKep[], current: number): string {
  const planned = keps.filter(({ milestones }) => milestones.size > 0);
  const all = planned.flatMap(({ milestones }) => [...milestones.values()]);
  const last = Math.max(current, ...all);
  const first = Math.max(Math.min(current, ...all), last - maxReleases + 1);
  const groups = [...new Set(planned.map(({ sig }) => sig))].sort();
  const body = html`<h1>Timeline</h1>
<p class="lead">Stages of ${planned.length} proposals by release. v1.${current} is out; later ones are planned.</p>
<nav class="jump" aria-label="Groups">${groups.map((group) => html`<a href="#${idOf(group)}">${group || 'no group'}</a> `)}</nav>
${groups.map((group) =>
  table(
    group,
    planned.filter(({ sig }) => sig === group),
    first,
    last,
    current,
  ),
)}`;
  return renderPage({ title: 'Timeline', up: '', current: 'timeline', body, hasReleases: true });
}

function table(group: string, keps: readonly SiteKep[], first: number, last: number, current: number): Html {
  const releases = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  return html`<section id="${idOf(group)}"><h2>${group || 'no group'} <span class="count">${keps.length}</span></h2>
<div class="scroll" tabindex="0" role="region" aria-label="Releases of ${group || 'proposals without a group'}">
<table class="timeline">
<thead><tr><th scope="col">Proposal</th>${releases.map(
    (minor) => html`<th scope="col"${minor === current && html` class="current"`}>1.${minor}</th>`,
  )}</tr></thead>
<tbody>
${keps.map((kep) => row(kep, first, last, current))}
</tbody>
</table>
</div>
</section>
`;
}

function row(kep: SiteKep, first: number, last: number, current: number): Html {
  const cells: Html[] = [];
  let at = first;
  for (const { stage, start, end, planned } of barsOf(kep, current, last)) {
    const from = Math.max(start, at);
    if (end < from) continue;
    if (from > at) cells.push(html`<td colspan="${from - at}"></td>`);
    const length = end - from + 1;
    const isLong = stage === 'beta' && !planned && end - start + 1 >= longBeta;
    const words = `${stage}${planned ? ' (planned)' : ''}${isLong ? ` for ${end - start + 1} releases` : ''}`;
    cells.push(html`<td colspan="${length}" class="bar ${stage}${planned && ' planned'}"><span>${words}</span></td>`);
    at = end + 1;
  }
  if (at <= last) cells.push(html`<td colspan="${last - at + 1}"></td>`);
  return html`<tr><th scope="row"><a href="kep/${kep.page}.html">${kep.number} ${kep.title}</a></th>${cells}</tr>\n`;
}

function idOf(group: string): string {
  return group.replace(/[^\w-]+/g, '-') || 'none';
}
