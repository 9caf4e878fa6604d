import { type Html, html } from './html.js';
import { type Lacking, lackingFor } from './lacking.js';
import { renderPage } from './layout.js';
import type { SiteKep } from './site-kep.js';

/** Stages in the order in which a release is read: what is here to stay first. */
const order = ['stable', 'beta', 'alpha', 'deprecated', 'disabled', 'removed'];
/** So many releases after the one that is out; proposals that plan for later ones are few, and often wrong. */
const maxPlanned = 6;
/** Sections named before the rest is only counted. */
const named = 3;

/**
 * The page of releases: what graduates in the one that is out and in each that is planned, and what every proposal still
 * lacks for that. `current` is the minor version that is out.
 */
export function renderReleases(keps: readonly SiteKep[], current: number): string {
  const planned = keps.flatMap(({ milestones }) => [...milestones.values()]);
  const minors = [...new Set([current, ...planned])]
    .filter((minor) => minor >= current && minor <= current + maxPlanned)
    .sort((a, b) => a - b);
  const body = html`<h1>Releases</h1>
<p class="lead">What graduates in which release, and what each proposal still lacks for it. v1.${current} is out.</p>
<nav class="jump" aria-label="Releases">${minors.map((minor) => html`<a href="#v1.${minor}">v1.${minor}</a> `)}</nav>
${minors.map((minor) => release(keps, minor, current))}`;
  return renderPage({ title: 'Releases', up: '', current: 'releases', body, hasReleases: true });
}

function release(keps: readonly SiteKep[], minor: number, current: number): Html {
  const stages = order.map((stage) => ({ stage, there: keps.filter((kep) => kep.milestones.get(stage) === minor) }));
  const count = stages.reduce((sum, { there }) => sum + there.length, 0);
  return html`<section id="v1.${minor}" aria-labelledby="v1.${minor}-title">
<h2 id="v1.${minor}-title">v1.${minor} <span class="count">${count}${minor > current && ' planned'}</span></h2>
${count === 0 && html`<p class="about">No proposal names it.</p>`}
${stages.filter(({ there }) => there.length > 0).map(({ stage, there }) => graduates(there, stage))}</section>
`;
}

function graduates(keps: readonly SiteKep[], stage: string): Html {
  return html`<h3>${stage} <span class="count">${keps.length}</span></h3>
<ul class="graduates">
${keps.map((kep) => graduate(kep, stage))}</ul>
`;
}

function graduate(kep: SiteKep, stage: string): Html {
  const lacking = lackingFor(kep, stage);
  const words = lacking && lackingInWords(lacking);
  return html`<li class="card ${readiness(lacking)}">
<a href="kep/${kep.page}.html"><span class="number">${kep.number}</span> ${kep.title}</a>
<p class="facts">${kep.sig}</p>
${words && (words.length === 0 ? html`<p>Lacks nothing.</p>` : html`<p>Lacks</p><ul>${words.map((one) => html`<li>${one}</li>`)}</ul>`)}
</li>
`;
}

function readiness(lacking: Lacking | undefined): SiteKep['readiness'] {
  if (!lacking) return 'ready';
  if (lacking.errors > 0) return 'blocked';
  return lacking.sections.length > 0 || lacking.isUnapproved ? 'open' : 'ready';
}

/** Says in a few words each what is lacking: some sections by their titles, the rest by their number. */
export function lackingInWords({ sections, errors, isUnapproved }: Lacking): readonly string[] {
  const more = sections.length - named;
  return [
    ...sections.slice(0, named),
    ...(more > 0 ? [`${more} more ${more === 1 ? 'section' : 'sections'}`] : []),
    ...(isUnapproved ? ['the approval of production readiness'] : []),
    ...(errors > 0 ? [`${errors} ${errors === 1 ? 'error' : 'errors'} to mend`] : []),
  ];
}
