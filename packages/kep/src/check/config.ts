import { parseYaml, YamlError } from '@slipway/safe-yaml';
import { minorOf } from '../metadata/kep-yaml.js';
import { allRules } from '../rules/catalogue.js';
import { nearest } from '../rules/nearest.js';
import type { Severity } from '../rules/rule.js';
import type { Waiver } from './waivers.js';

/** What a repository wants of its proposals. */
export interface CheckConfig {
  /** Minor version; errors of proposals with an older milestone become warnings, except those of hard rules. */
  readonly enforceFrom: number | undefined;
  /** `wait`: an error once the proposal is for the release that is being worked on, and a hint until then. */
  readonly severities: ReadonlyMap<string, Severity | 'off' | 'wait'>;
  /** Rules that a comment of an author does not hide. */
  readonly unwaivable: ReadonlySet<string>;
  readonly waivers: readonly Waiver[];
  /** YYYY-MM-DD, to know which waivers are over; undefined takes none for over. */
  readonly today: string | undefined;
  /** When given, only these rules run. */
  readonly only: ReadonlySet<string> | undefined;
  readonly requireReason: boolean;
  /** Sets of rules besides the general ones, such as `sig-node`. */
  readonly profiles: ReadonlySet<string>;
  /** Minor version of the release that is being worked on. */
  readonly release: number | undefined;
  /** `builtin:2026.1`, or a path relative to the root. */
  readonly template: string;
  readonly components: readonly string[];
  /** Path of the list of groups, and of the aliases with the approvers. */
  readonly groups: { readonly sigs: string | undefined; readonly aliases: string };
  readonly baseline: string | undefined;
  readonly readmeBytes: number;
}

/** What holds without a configuration. */
export const defaultConfig: CheckConfig = {
  enforceFrom: undefined,
  severities: new Map(),
  unwaivable: new Set(),
  waivers: [],
  today: undefined,
  only: undefined,
  requireReason: false,
  profiles: new Set(),
  release: undefined,
  template: 'builtin:2026.1',
  components: [
    'kube-apiserver',
    'kube-controller-manager',
    'kube-scheduler',
    'kubelet',
    'kube-proxy',
    'kubectl',
    'kubeadm',
    'cloud-controller-manager',
    'etcd',
  ],
  groups: { sigs: undefined, aliases: 'OWNERS_ALIASES' },
  baseline: undefined,
  readmeBytes: 2 * 1024 * 1024,
};

/** A configuration cannot be used. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string, options?: ErrorOptions) {
    super(message, options);
    this.hint = hint;
  }
}

const known: Readonly<Record<string, readonly string[]>> = {
  '': [
    'version',
    'template',
    'policy',
    'rules',
    'groups',
    'components',
    'baseline',
    'limits',
    'suppressions',
    'waivers',
  ],
  policy: ['enforceFrom', 'profiles', 'release', 'unwaivable'],
  waivers: ['rule', 'kep', 'owner', 'reason', 'until'],
  groups: ['sigs', 'aliases'],
  limits: ['readmeBytes'],
  suppressions: ['requireReason'],
};

/** Reads `.slipway/kep.yaml`. @throws ConfigError that names what is wrong, with a suggestion for misspelt keys */
export function readConfig(text: string): CheckConfig {
  const root = record(parsed(text), '');
  if (root.version !== undefined && root.version !== 1)
    throw new ConfigError(`version ${root.version} is not known`, 'write version: 1');
  const policy = record(root.policy, 'policy');
  const groups = record(root.groups, 'groups');
  const limits = record(root.limits, 'limits');
  const suppressions = record(root.suppressions, 'suppressions');
  const components = Array.isArray(root.components) ? root.components.map(String) : defaultConfig.components;
  return {
    ...defaultConfig,
    enforceFrom: releaseNamed(policy, 'enforceFrom'),
    severities: severitiesOf(root.rules, policy.release !== undefined),
    unwaivable: new Set(namesIn(policy.unwaivable, 'policy.unwaivable').map(ruleNamed)),
    waivers: waiversOf(root.waivers),
    requireReason: suppressions.requireReason === true,
    profiles: profilesOf(policy.profiles),
    release: releaseNamed(policy, 'release'),
    template: typeof root.template === 'string' ? root.template : defaultConfig.template,
    components,
    groups: {
      sigs: typeof groups.sigs === 'string' ? groups.sigs : undefined,
      aliases: typeof groups.aliases === 'string' ? groups.aliases : defaultConfig.groups.aliases,
    },
    baseline: typeof root.baseline === 'string' ? root.baseline : undefined,
    readmeBytes: typeof limits.readmeBytes === 'number' ? limits.readmeBytes : defaultConfig.readmeBytes,
  };
}

function releaseNamed(policy: Record<string, unknown>, name: string): number | undefined {
  const value = policy[name];
  if (value === undefined) return undefined;
  const minor = minorOf(String(value));
  if (minor === undefined)
    throw new ConfigError(`policy.${name}: ${value} is not a release`, 'write for example v1.36');
  return minor;
}

const knownProfiles = ['sig-node'];

function profilesOf(value: unknown): ReadonlySet<string> {
  const named = Array.isArray(value) ? value.map(String) : [];
  for (const name of named) {
    if (!knownProfiles.includes(name))
      throw new ConfigError(`policy.profiles: there is no profile ${name}`, `there is ${knownProfiles.join(', ')}`);
  }
  return new Set(named);
}

/** The id of a rule named by id or slug. @throws ConfigError with the nearest name */
export function ruleNamed(name: string): string {
  const rule = allRules.find(({ id, slug }) => id.toLowerCase() === name.toLowerCase() || slug === name);
  if (rule) return rule.id;
  const near = nearest(
    name,
    allRules.flatMap(({ id, slug }) => [id.toLowerCase(), slug]),
  );
  throw new ConfigError(`no rule is called ${name}`, near && `did you mean ${near.replace(/^kep/, 'KEP')}?`);
}

function parsed(text: string): unknown {
  try {
    return parseYaml(text) ?? {};
  } catch (error) {
    if (error instanceof YamlError) throw new ConfigError(error.message, undefined, { cause: error });
    throw error;
  }
}

function record(value: unknown, name: string): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw new ConfigError(`${name || 'the file'} is not a mapping`);
  for (const key of Object.keys(value)) {
    if (known[name]?.includes(key)) continue;
    const near = nearest(key, known[name] ?? []);
    throw new ConfigError(`unknown setting ${name ? `${name}.` : ''}${key}`, near && `did you mean ${near}?`);
  }
  return value as Record<string, unknown>;
}

function namesIn(value: unknown, name: string): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new ConfigError(`${name} is not a list`, 'write for example [KEP101, KEP102]');
  return value.map(String);
}

function waiversOf(value: unknown): readonly Waiver[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new ConfigError('waivers is not a list');
  return value.map((each: unknown, at) => {
    const waiver = record(each, 'waivers');
    const field = (name: string) => {
      const text = waiver[name] === undefined || waiver[name] === null ? '' : String(waiver[name]).trim();
      if (text === '')
        throw new ConfigError(`waivers[${at}] has no ${name}`, 'give rule, kep, owner, reason and until');
      return text;
    };
    const until = field('until');
    if (!/^\d{4}-\d{2}-\d{2}$/.test(until))
      throw new ConfigError(`waivers[${at}].until: ${until} is not a day`, 'write for example "2027-03-31", in quotes');
    const kep = field('kep').replace(/^\/|\/$/g, '');
    return { rule: ruleNamed(field('rule')), kep, owner: field('owner'), reason: field('reason'), until };
  });
}

function severitiesOf(value: unknown, hasRelease: boolean): CheckConfig['severities'] {
  const found = new Map<string, Severity | 'off' | 'wait'>();
  if (value === undefined || value === null) return found;
  if (typeof value !== 'object' || Array.isArray(value)) throw new ConfigError('rules is not a mapping');
  for (const [name, wanted] of Object.entries(value)) {
    const severity = wanted === false ? 'off' : String(wanted);
    if (!isSeverity(severity))
      throw new ConfigError(`rules.${name}: ${severity}`, 'write error, warn, wait, info or off');
    if (severity === 'wait' && !hasRelease)
      throw new ConfigError(`rules.${name}: wait needs policy.release`, 'write for example policy: { release: v1.37 }');
    found.set(ruleNamed(name), severity);
  }
  return found;
}

function isSeverity(text: string): text is Severity | 'off' | 'wait' {
  return ['error', 'warn', 'wait', 'info', 'off'].includes(text);
}
