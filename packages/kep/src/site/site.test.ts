import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { needs } from '../../../../tools/real-parts.js';
import { defaultConfig } from '../check/config.js';
import { parseDocument } from '../document/document.js';
import { layoutOf } from '../repository/find-keps.js';
import { KepRepository } from '../repository/repository.js';
import { html } from './html.js';
import { type Lacking, lackingFor } from './lacking.js';
import { lackingInWords } from './release-page.js';
import { renderMarkdown } from './render-markdown.js';
import { releaseOf, renderSite, type Site } from './render-site.js';
import { type SiteKep, siteKep } from './site-kep.js';
import { barsOf } from './timeline.js';

const targets = {
  link: (target: string) => (/^(?:#|https:)/.test(target) ? target : undefined),
  image: (target: string) => (target === 'a.png' ? '../pictures/a.png' : undefined),
};
const rendered = (text: string) => renderMarkdown(parseDocument(text), targets).trim();

// what an author wrote | what is shown
const texts: [string, string][] = [
  ['# T\n\nx', '<p>x</p>'],
  ['## A b\n', '<h2 id="a-b">A b</h2>'],
  ['a <!-- secret --> b', '<p>a  b</p>'],
  ['<!--\nsecret\n\n## no\n-->\nb', '<p>b</p>'],
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ['a <img src=x onerror=alert(1)> b', '<p>a <span class="no-link">[picture: x]</span> b</p>'],
  [
    '<details onclick="x()"><summary>s</summary>\n\nt\n\n</details>',
    '<details><summary>s</summary>\n<p>t</p>\n</details>',
  ],
  ['[a](javascript:alert(1))', '<p><span class="no-link">a</span></p>'],
  ['[a](data:text/html,x) [b](https://c.d/)', '<p><span class="no-link">a</span> <a href="https://c.d/">b</a></p>'],
  ['<a href="javascript:x()">a</a>', '<p>&lt;a href=&quot;javascript:x()&quot;&gt;a&lt;/a&gt;</p>'],
  [
    '![p](a.png) ![q](https://e.f/t.png)',
    '<p><img src="../pictures/a.png" alt="p" loading="lazy"> <span class="no-link">[picture: q]</span></p>',
  ],
  [
    '- [x] done\n- [ ] open',
    '<ul>\n<li class="box"><input type="checkbox" disabled checked> done</li>\n<li class="box"><input type="checkbox" disabled> open</li>\n</ul>',
  ],
  ['---\ntitle: "<b>"\n---\nx', '<p>x</p>'],
  ['<style>*{display:none}</style>', '&lt;style&gt;*{display:none}&lt;/style&gt;'],
];

test.each(texts)('renderMarkdown() of %j', (text, shown) => {
  expect(rendered(text)).toBe(shown);
});

test('html escapes whatever is put into it, and only that', () => {
  const name = '"><script>';
  expect(html`<a href="${name}">${[html`<b>`, 1, undefined, false]}</a>`.text).toBe(
    '<a href="&quot;&gt;&lt;script&gt;"><b>1</a>',
  );
});

// milestones | bars at v1.34 of v1.37
const timelines: [Record<string, number>, string][] = [
  [{ alpha: 30, beta: 32, stable: 35 }, 'alpha 30-31, beta 32-34, stable 35-35 planned'],
  [{ alpha: 30 }, 'alpha 30-34'],
  [{ alpha: 36, beta: 37 }, 'alpha 36-36 planned, beta 37-37 planned'],
  [{ beta: 33, stable: 33 }, 'stable 33-33'],
  [{ alpha: 35, beta: 31 }, 'beta 31-34, alpha 35-35 planned'],
  [{}, ''],
];

test.each(timelines)('barsOf(%j)', (milestones, bars) => {
  const shown = barsOf({ milestones: new Map(Object.entries(milestones)), isClosed: false }, 34, 37).map(
    ({ stage, start, end, planned }) => `${stage} ${start}-${end}${planned ? ' planned' : ''}`,
  );
  expect(shown.join(', ')).toBe(bars);
});

test.each<[string, [string, string, Record<string, number>][], number]>([
  ['nothing', [], 0],
  ['plans only', [['implementable', 'alpha', { alpha: 36 }]], 36],
  ['a plan of what is implemented', [['implemented', 'beta', { beta: 35, stable: 40 }]], 35],
  ['a slip of the fingers', [['implemented', 'stable', { stable: 44 }], ...[33, 34, 34].map(done)], 34],
])('releaseOf() %s', (_, keps, release) => {
  const [kep] = siteOf(ours).keps;
  if (!kep) throw new Error('no proposal');
  const all = keps.map(([status, stage, milestones]) => ({
    ...kep,
    status,
    stage,
    milestones: new Map(Object.entries(milestones)),
  }));
  expect(releaseOf(all)).toBe(release);
});

function done(minor: number): [string, string, Record<string, number>] {
  return ['implemented', 'stable', { stable: minor }];
}

function siteOf(root: string): { readonly keps: readonly SiteKep[]; readonly site: Site } {
  const layout = layoutOf(root);
  if (!layout) throw new Error(`no checkout at ${root}`);
  const repository = new KepRepository(layout, defaultConfig);
  const keps = repository.keps().map((found) => {
    const kep = repository.load(found);
    const facts = repository.facts(kep);
    return siteKep(facts, repository.check(facts, kep), found.directory);
  });
  return {
    keps,
    site: renderSite(keps, { exists: (path) => existsSync(`${layout.root}/${path}`), current: releaseOf(keps) }),
  };
}

/** Links of the pages, and where they do not lead. */
function brokenLinks({ files, assets }: Site): string[] {
  const known = new Set([...files.keys(), ...assets.map(({ to }) => to)]);
  const ids = new Map(
    [...files].map(([path, text]) => [path, new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))]),
  );
  return [...files].flatMap(([page, text]) => {
    const folder = page.startsWith('kep/') ? 'kep/' : '';
    return [...text.matchAll(/(?: href| src)="([^"]*)"/g)].flatMap(([, target = '']) => {
      if (/^(?:https?:|mailto:)/i.test(target)) return [];
      const [path = '', anchor] = target.replaceAll('&amp;', '&').split('#');
      const file = path === '' ? page : path.startsWith('../') ? path.slice(3) : folder + path;
      if (!known.has(file)) return [`${page}: ${target}`];
      // Only the anchors that the site itself writes: those of the author may be wrong, which KEP406 says.
      const isOurs = anchor !== undefined && !text.slice(text.indexOf('<article')).includes(`href="${target}"`);
      return isOurs && !ids.get(file)?.has(anchor) ? [`${page}: ${target}`] : [];
    });
  });
}

const ours = fileURLToPath(new URL('../../../../', import.meta.url));

test('renderSite() shows our own proposals on pages whose links lead somewhere', () => {
  const { keps, site } = siteOf(ours);
  expect([...site.files.keys()].sort()).toEqual(
    [
      'filter.js',
      'index.html',
      'keps.json',
      'releases.html',
      'site.css',
      'timeline.html',
      ...keps.map(({ page }) => `kep/${page}.html`),
    ].sort(),
  );
  expect(brokenLinks(site)).toEqual([]);
  expect(site.files.get('index.html')).toMatch(/<a href="kep\/5620\.html">.*<\/a>/);
  expect(JSON.parse(site.files.get('keps.json') ?? '')).toMatchObject({ version: 1, keps: { length: keps.length } });
});

test('renderSite() gives two proposals with one number a page each', () => {
  const [kep] = siteOf(ours).keps;
  if (!kep) throw new Error('no proposal');
  const { files } = renderSite([kep, { ...kep, directory: 'other' }], { exists: () => false, current: 34 });
  expect([...files.keys()].filter((path) => path.startsWith('kep/'))).toEqual([
    `kep/${kep.page}.html`,
    `kep/${kep.page}-2.html`,
  ]);
});

// lacking | words
test.each<[Partial<Lacking>, string[]]>([
  [{}, []],
  [{ sections: ['A'] }, ['A']],
  [{ sections: ['A', 'B', 'C', 'D'] }, ['A', 'B', 'C', '1 more section']],
  [
    { sections: ['A', 'B', 'C', 'D', 'E'], errors: 1, isUnapproved: true },
    ['A', 'B', 'C', '2 more sections', 'the approval of production readiness', '1 error to mend'],
  ],
  [{ errors: 2 }, ['2 errors to mend']],
])('lackingInWords(%j) is %s', (lacking, words) => {
  expect(lackingInWords({ sections: [], errors: 0, isUnapproved: false, ...lacking })).toEqual(words);
});

test('renderSite() shows in which release each proposal graduates and what it lacks, with its issue and its source', () => {
  const [kep] = siteOf(ours).keps.filter(({ number }) => number === '5620');
  if (!kep) throw new Error('no proposal');
  const milestones = new Map([
    ['alpha', 37],
    ['beta', 38],
    ['stable', 90],
  ]);
  const sourceOf = (path: string) => `https://example.com/${path}`;
  const { files } = renderSite([{ ...kep, milestones }], { exists: () => false, current: 37, sourceOf });
  const text = files.get('releases.html') ?? '';
  const sections = [...text.matchAll(/<section id="(v[\d.]+)"[\s\S]*?<\/section>/g)].map(
    ([all, id]) => [id, all] as const,
  );
  expect(sections.map(([id]) => id)).toEqual(['v1.37', 'v1.38']);
  expect(sections.map(([, all]) => /<h3>(\w+)/.exec(all)?.[1])).toEqual(['alpha', 'beta']);
  const lacking = lackingFor(kep, 'beta');
  expect(lacking?.sections.length).toBeGreaterThan(0);
  expect(sections[1]?.[1]).toContain(`<li>${lacking?.sections[0]}</li>`);
  const page = files.get('kep/5620.html');
  expect(page).toContain('<a href="https://github.com/kubernetes/enhancements/issues/5620">issue 5620</a>');
  expect(page).toContain(`<a href="https://example.com/${kep.directory}">source</a>`);
});

const corpus = process.env.SLIPWAY_KEP_CORPUS ?? '';
describe('on proposals of Kubernetes', () => {
  beforeEach((context) => needs(context, 'proposals of Kubernetes'));

  test('no page runs a script of an author, links nowhere, or has an anchor twice', () => {
    const { site, keps } = siteOf(corpus);
    // Its author's own table of contents leads to headings that are shown as code, of which KEP408 tells.
    const escaping = keps.filter(({ facts }) => facts.document?.fences.some(({ ending }) => ending === 'escaped'));
    const pages = escaping.map(({ page }) => `kep/${page}.html: #`);
    expect(brokenLinks(site).filter((link) => !pages.some((page) => link.startsWith(page)))).toEqual([]);
    const repeated: string[] = [];
    for (const [page, text] of site.files) {
      if (!page.endsWith('.html')) continue;
      const scripts = text.match(/<(?:script|iframe|object|embed|style|form|link|meta)\b/gi) ?? [];
      expect([page, scripts.length]).toEqual([page, page === 'index.html' ? 7 : 5]);
      expect([page, / on\w+=/.test(text.replace(/>[^<]*</g, '><'))]).toEqual([page, false]);
      const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      if (new Set(ids).size !== ids.length) repeated.push(page);
    }
    expect(repeated).toEqual([]);
  }, 300_000);
});

test('the style sheet and the script ask for nothing from elsewhere', () => {
  const read = (name: string) => readFileSync(fileURLToPath(new URL(name, import.meta.url)), 'utf8');
  for (const name of ['style-sheet.ts', 'filter-script.ts'])
    expect(read(name)).not.toMatch(/url\(|@import|fetch\(|https?:/);
});
