import { renderBoard } from './board.js';
import { kepBoard } from './board-kind.js';
import { filterScript } from './filter-script.js';
import { renderKepPage } from './kep-page.js';
import { type Asset, linkTargets } from './link-targets.js';
import { renderReleases } from './release-page.js';
import type { SiteKep } from './site-kep.js';
import { styleSheet } from './style-sheet.js';
import { renderTimeline } from './timeline.js';

/** A site as files: what to write under which path, and which pictures to copy. */
export interface Site {
  readonly files: ReadonlyMap<string, string>;
  readonly assets: readonly Asset[];
}

/** What the pages need to know about the checkout. */
export interface SiteOptions {
  /** Whether a file, relative to the root of the checkout, exists. */
  readonly exists: (path: string) => boolean;
  /** Minor version of the release that is out. */
  readonly current: number;
  /** Address of a file or folder of the checkout; absent where it is not on the web. */
  readonly sourceOf?: (path: string) => string;
}

/**
 * The pages of all proposals: a board, a page each, the releases, a timeline, and the facts as JSON. Nothing in them is
 * loaded from elsewhere; they work from a folder on disk and without scripts.
 */
export function renderSite(found: readonly SiteKep[], { exists, current, sourceOf }: SiteOptions): Site {
  const keps = withOwnPages(found);
  const pages = new Map(keps.map((kep) => [kep.directory, kep.page]));
  const assets = new Map<string, Asset>();
  // Only proposals of Kubernetes are meant for releases.
  const hasReleases = keps.some(({ kind }) => kind === kepBoard);
  const files = new Map<string, string>([
    ['index.html', renderBoard(keps, hasReleases)],
    ...(hasReleases
      ? ([
          ['releases.html', renderReleases(keps, current)],
          ['timeline.html', renderTimeline(keps, current)],
        ] as const)
      : []),
    ['keps.json', `${JSON.stringify({ version: 1, keps: keps.map(summaryOf) }, null, 1)}\n`],
    ['site.css', styleSheet],
    ['filter.js', filterScript],
  ]);
  for (const kep of keps) {
    const targets = linkTargets(kep, (directory) => pages.get(directory), exists, assets);
    files.set(`kep/${kep.page}.html`, renderKepPage(kep, targets, { hasReleases, sourceOf }));
  }
  return { files, assets: [...assets.values()] };
}

/** A release that only one or two proposals call done may be a slip of the fingers. */
const enough = 3;

/**
 * The release that is out, as far as proposals tell: the newest one in which several implemented proposals reached their stage. What they plan
 * for later stages does not count.
 */
export function releaseOf(keps: readonly SiteKep[]): number {
  const reached = keps.flatMap(({ status, stage, milestones }) =>
    status === 'implemented' ? (milestones.get(stage) ?? []) : [],
  );
  const often = reached.filter((minor) => reached.filter((other) => other >= minor).length >= enough);
  const planned = keps.flatMap(({ milestones }) => [...milestones.values()]);
  const [best = []] = [often, reached, planned].filter(({ length }) => length > 0);
  return Math.max(0, ...best);
}

/** Two proposals with the same number, which is a mistake, still have a page each. */
export function withOwnPages<T extends Pick<SiteKep, 'page'>>(keps: readonly T[]): T[] {
  const used = new Map<string, number>();
  return keps.map((kep) => {
    const times = (used.get(kep.page) ?? 0) + 1;
    used.set(kep.page, times);
    return times === 1 ? kep : { ...kep, page: `${kep.page}-${times}` };
  });
}

function summaryOf(kep: SiteKep) {
  const { kind, page, number, title, directory, sig, status, stage, milestone, authors, approvers, gates, metrics } =
    kep;
  const { answered, demanded, readiness, findings } = kep;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const milestones = Object.fromEntries([...kep.milestones].map(([at, minor]) => [at, `v1.${minor}`]));
  const who = { authors, approvers, gates, metrics };
  return {
    page,
    number,
    title,
    directory,
    sig,
    status,
    stage,
    milestone,
    milestones,
    ...who,
    answered,
    demanded,
    errors,
    readiness,
    ...(kind === kepBoard ? {} : { kind: kind.name }),
  };
}
