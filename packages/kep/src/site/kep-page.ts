import type { Finding } from '../check/finding.js';
import { sectionAt } from '../document/document.js';
import { anchorsByHeading } from '../document/toc.js';
import { isAnswered } from '../template/answered.js';
import type { Assessed } from '../template/assess.js';
import { progress } from './board.js';
import { kepBoard } from './board-kind.js';
import { type Html, html, trusted } from './html.js';
import { lackingFor } from './lacking.js';
import { renderPage } from './layout.js';
import { type LinkTargets, renderMarkdown } from './render-markdown.js';
import type { SiteKep } from './site-kep.js';

const maxFindings = 100;

/** What a page knows besides its proposal. */
export interface PageOptions {
  readonly hasReleases: boolean;
  /** Address of a file or folder of the checkout; undefined where it is not on the web. */
  readonly sourceOf?: ((path: string) => string) | undefined;
}

/** The page of one proposal: its facts, its text, and beside it what is open. */
export function renderKepPage(kep: SiteKep, targets: LinkTargets, { hasReleases, sourceOf }: PageOptions): string {
  const { document, declared } = kep.facts;
  const name = kep.number === '' && declared ? '' : `${kep.kind.name.toUpperCase()}-${kep.number}`;
  const text = document ? trusted(renderMarkdown(document, targets)) : html`<p>There is no README.</p>`;
  const title = document?.sections.find(({ level }) => level === 1)?.heading;
  const anchor = document && title && anchorsByHeading(document).get(title);
  const body = html`<h1${anchor && html` id="${anchor}"`}>${name && html`<span class="number">${name}</span> `}${kep.title}</h1>
${factsOf(kep, targets, sourceOf)}
<div class="columns">
${contents(kep)}
<article class="text">
${text}
</article>
<aside aria-label="What is open" id="page.open">
${openForNext(kep)}
${findingsOf(kep)}
</aside>
</div>`;
  return renderPage({
    title: name ? `${name}: ${kep.title}` : kep.title,
    up: '../',
    current: 'kep',
    body,
    hasReleases,
  });
}

function factsOf(kep: SiteKep, targets: LinkTargets, sourceOf: PageOptions['sourceOf']): Html {
  const milestones = [...kep.milestones].map(([stage, minor]) => `${stage} v1.${minor}`);
  const approvals = [...kep.approvals].map(([stage, by]) => `${stage} ${by}`);
  const rows: (readonly [string, readonly (string | Html)[]])[] = [
    ['Status', [kep.status]],
    ['Stage', [[kep.stage, kep.milestone].join(' ').trim()]],
    ['Group', [kep.sig]],
    ['Releases', milestones],
    ['Authors', kep.authors],
    ['Approvers', kep.approvers],
    ['Production readiness', approvals],
    ['Gates', kep.gates],
    ['Metrics', kep.metrics],
    ['Elsewhere', elsewhere(kep, sourceOf)],
    ...kep.related.map(({ kind, target }) => [kind, [relatedLink(target, targets)]] as const),
  ];
  return html`<dl class="facts">
${rows
  .filter(([, values]) => values.some((value) => value !== ''))
  .map(
    ([name, values]) =>
      html`<div${isWide(values) && html` class="wide"`}><dt>${name}</dt><dd>${values.map((value, at) => html`${at > 0 && ', '}${value}`)}</dd></div>\n`,
  )}
</dl>
${progress(kep)}
<p class="jump"><a href="#page.open">What is open</a></p>`;
}

/** The issue in which a proposal of Kubernetes is followed, whose number it has, and its files. */
function elsewhere({ kind, number, directory }: SiteKep, sourceOf: PageOptions['sourceOf']): Html[] {
  const issue = kind === kepBoard && Number(number) > 0 ? Number(number) : undefined;
  const source = sourceOf?.(directory);
  return [
    ...(issue === undefined
      ? []
      : [html`<a href="https://github.com/kubernetes/enhancements/issues/${issue}">issue ${issue}</a>`]),
    ...(source === undefined ? [] : [html`<a href="${source}">source</a>`]),
  ];
}

/** Whether a value is too long for one of several columns. */
function isWide(values: readonly (string | Html)[]): boolean {
  return values.map((value) => (typeof value === 'string' ? value : value.text)).join(', ').length > 100;
}

function relatedLink(target: string, targets: LinkTargets): string | Html {
  const href = targets.link(target);
  return href === undefined ? target : html`<a href="${href}">${target}</a>`;
}

/** The headings down to level 3, each with how it is answered, in words for those who cannot see the dot. */
function contents({ facts: { document, assessed } }: SiteKep): Html {
  if (!document) return html``;
  const anchors = anchorsByHeading(document);
  const states = new Map(assessed.map((each) => [each.match?.section, each]));
  const items = document.sections.flatMap((section) => {
    if (!section.heading || section.level < 2 || section.level > 3) return [];
    const anchor = anchors.get(section.heading);
    const state = stateOf(states.get(section));
    return [
      html`<li class="level-${section.level}"><a href="#${anchor}">${section.title}</a>${
        state && html` <span class="dot ${state}" role="img" aria-label="${state}"></span>`
      }</li>\n`,
    ];
  });
  return html`<nav class="contents" aria-labelledby="page.contents"><h2 id="page.contents">Contents</h2><ol>
${items}
</ol></nav>`;
}

function stateOf(assessed: Assessed | undefined): 'answered' | 'open' | undefined {
  if (!assessed?.demanded) return undefined;
  return assessed.answer !== undefined && isAnswered(assessed.answer) ? 'answered' : 'open';
}

function openForNext(kep: SiteKep): Html {
  const { facts } = kep;
  const { template, stage, phase } = facts;
  const { names } = template.ladder;
  const at = names.indexOf(stage);
  const aim = at < 0 ? undefined : names[at + 1];
  const lacking = aim === undefined || phase !== 'gated' ? undefined : lackingFor(kep, aim);
  if (!lacking) return html``;
  return html`<section><h2>What ${aim} still needs</h2>
${lacking.sections.length === 0 ? html`<p>Nothing: all is answered.</p>` : html`<ul>${lacking.sections.map((title) => html`<li>${title}</li>\n`)}</ul>`}
</section>`;
}

function findingsOf({ findings, facts: { document } }: SiteKep): Html {
  if (findings.length === 0) return html`<section><h2>Findings</h2><p>None.</p></section>`;
  const anchors = document && anchorsByHeading(document);
  const anchorOf = ({ file, span }: Finding): string | undefined => {
    const section = file === 'readme' && document ? sectionAt(document.sections, span.start.line - 1) : undefined;
    return section?.heading && anchors?.get(section.heading);
  };
  const items = findings.slice(0, maxFindings).map((finding) => {
    const anchor = anchorOf(finding);
    const place = finding.file === 'readme' ? `line ${finding.span.start.line}` : finding.path.split('/').at(-1);
    return html`<li class="${finding.severity}"><span class="rule">${finding.rule}</span> ${finding.message} <small>${
      anchor ? html`<a href="#${anchor}">${place}</a>` : place
    }</small></li>\n`;
  });
  const more = findings.length - items.length;
  return html`<section><h2>Findings <span class="count">${findings.length}</span></h2>
<ol class="findings">
${items}
</ol>${more > 0 && html`<p>${more} more are left out.</p>`}</section>`;
}
