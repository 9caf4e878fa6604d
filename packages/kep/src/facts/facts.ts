import { nearest } from '../document/nearest.js';
import { type KepYaml, minorOf } from '../metadata/kep-yaml.js';
import { stages } from '../metadata/stage.js';
import { assess } from '../template/assess.js';
import type { KepFacts, Phase } from './rule.js';

/** The values of `status` in `kep.yaml`. */
export const statuses = [
  'provisional',
  'implementable',
  'implemented',
  'deferred',
  'rejected',
  'withdrawn',
  'replaced',
] as const;

/** What was read of a proposal. */
interface KepParts extends Omit<KepFacts, Derived | Optional>, Partial<Pick<KepFacts, Optional>> {
  /** Asked for on the command line; wins over `kep.yaml`. */
  readonly stage?: string | undefined;
}

type Derived = 'declared' | 'phase' | 'stage' | 'milestone' | 'assessed';
type Optional = 'isStray' | 'unreadable' | 'before' | 'evidence';

/** Reads the parts of a proposal together: how far it is meant to be, and how it stands to the template. */
export function gatherFacts(parts: KepParts): KepFacts {
  const { document, yaml, template } = parts;
  const { phase, stage } = aimOf(yaml, parts.stage);
  const milestone = minorOf(yaml?.one('latest-milestone')?.value);
  const release = yaml && milestone === undefined ? releaseOf(yaml) : milestone;
  const traits = yaml && new Set([...(yaml.gates.length > 0 ? ['gate'] : ['out-of-tree']), 'api', ...nodeTrait(yaml)]);
  const assessed = document ? assess(document, template, { stage, milestone: release, traits }) : [];
  const { source, approval, approvalPath, place, repository } = parts;
  const { unreadable = [], evidence = [], before, isStray = false } = parts;
  // Field by field: what is spread gets a layout of its own each time, and is slow to read for every rule.
  return {
    declared: undefined,
    document,
    source,
    yaml,
    approval,
    approvalPath,
    place,
    template,
    phase,
    stage,
    milestone,
    assessed,
    repository,
    unreadable,
    isStray,
    before,
    evidence,
  };
}

/** Without `kep.yaml` a proposal is taken for one at alpha. A status that is misspelt counts as the one meant. */
function aimOf(yaml: KepYaml | undefined, asked: string | undefined): { phase: Phase; stage: string } {
  if (!yaml) return { phase: 'gated', stage: asked ?? 'alpha' };
  const status = nearest(yaml.one('status')?.value ?? '', statuses);
  const typed = nearest(yaml.one('stage')?.value ?? '', stages);
  if (status === 'deferred' || status === 'rejected' || status === 'withdrawn' || status === 'replaced') {
    return { phase: 'frozen', stage: asked ?? typed ?? 'draft' };
  }
  if (asked) return { phase: asked === 'draft' ? 'draft' : 'gated', stage: asked };
  if (status === 'implementable' || status === 'implemented') return { phase: 'gated', stage: typed ?? 'alpha' };
  return { phase: 'draft', stage: 'draft' };
}

/**
 * The release of a proposal whose `latest-milestone` is none: its latest milestone of a stage. What was
 * implemented without any is older than all that the template began to ask for since.
 */
function releaseOf(yaml: KepYaml): number | undefined {
  const minors = [...yaml.milestones.values()].flatMap(({ value }) => minorOf(value) ?? []);
  if (minors.length > 0) return Math.max(...minors);
  return yaml.one('status')?.value === 'implemented' ? 0 : undefined;
}

function nodeTrait(yaml: KepYaml): string[] {
  const groups = [yaml.one('owning-sig'), ...yaml.many('participating-sigs')].map((group) => group?.value);
  return groups.includes('sig-node') ? ['node'] : [];
}
