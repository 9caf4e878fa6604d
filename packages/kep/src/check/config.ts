import { nearest } from '../document/nearest.js';
import { ConfigError } from '../kinds/config-error.js';
import { ConfigValue } from '../kinds/config-value.js';
import type { DocumentKind } from '../kinds/document-kind.js';
import { readKinds } from '../kinds/read-kinds.js';
import type { Severity } from '../kinds/severity.js';
import { minorOf } from '../metadata/kep-yaml.js';
import { allRules } from '../rules/catalogue.js';
import type { Waiver } from './waivers.js';

/** What a repository wants of its proposals. */
export interface CheckConfig {
  /** The kinds of documents besides proposals of Kubernetes. */
  readonly kinds: readonly DocumentKind[];
  /** Whether proposals of Kubernetes are looked for. */
  readonly hasKeps: boolean;
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
  kinds: [],
  hasKeps: true,
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

/** Reads `.slipway/kep.yaml`; `path` is for the errors. @throws ConfigError that names what is wrong and its line, with a suggestion for misspelt keys */
export function readConfig(text: string, path = '.slipway/kep.yaml'): CheckConfig {
  const root = ConfigValue.ofFile(text, path).fields([
    'version',
    'template',
    'documents',
    'policy',
    'rules',
    'groups',
    'components',
    'baseline',
    'limits',
    'suppressions',
    'waivers',
  ]);
  const version = root.version.text();
  if (version !== undefined && version !== '1')
    throw root.version.error(`version ${version} is not known`, 'write version: 1');
  const policy = root.policy.fields(['enforceFrom', 'profiles', 'release', 'unwaivable']);
  const groups = root.groups.fields(['sigs', 'aliases']);
  const { readmeBytes } = root.limits.fields(['readmeBytes']);
  const { requireReason } = root.suppressions.fields(['requireReason']);
  const { kinds, hasKeps } = readKinds(root.documents, (rules) =>
    severitiesOf(rules, ['error', 'warn', 'info', 'off']),
  );
  return {
    ...defaultConfig,
    kinds,
    hasKeps,
    enforceFrom: releaseNamed(policy.enforceFrom),
    severities: severitiesOf(root.rules, severityWords, policy.release),
    unwaivable: new Set(policy.unwaivable.items('write for example [KEP101, KEP102]').map((rule) => ruleIn(rule))),
    waivers: root.waivers.items().map(waiverOf),
    requireReason: requireReason.flag(),
    profiles: new Set(policy.profiles.items().flatMap((profile) => profile.oneOf(['sig-node']) ?? [])),
    release: releaseNamed(policy.release),
    template: root.template.text() ?? defaultConfig.template,
    components: root.components.isThere ? root.components.texts() : defaultConfig.components,
    groups: { sigs: groups.sigs.text(), aliases: groups.aliases.text() ?? defaultConfig.groups.aliases },
    baseline: root.baseline.text(),
    readmeBytes: readmeBytes.count() ?? defaultConfig.readmeBytes,
  };
}

function releaseNamed(value: ConfigValue): number | undefined {
  const text = value.text();
  if (text === undefined) return undefined;
  const minor = minorOf(text);
  if (minor === undefined) throw value.error(`${value.name}: ${text} is not a release`, 'write for example v1.36');
  return minor;
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

function ruleIn(value: ConfigValue, name = value.text() ?? ''): string {
  try {
    return ruleNamed(name);
  } catch (error) {
    if (error instanceof ConfigError) throw value.error(error.message, error.hint);
    throw error;
  }
}

function waiverOf(value: ConfigValue): Waiver {
  const given = value.fields(['rule', 'kep', 'owner', 'reason', 'until']);
  const text = (name: keyof typeof given) => {
    const found = given[name].text();
    if (found === undefined)
      throw value.error(`${value.name} has no ${name}`, 'give rule, kep, owner, reason and until');
    return found;
  };
  const until = text('until');
  if (!/^\d{4}-\d{2}-\d{2}$/.test(until))
    throw given.until.error(`${given.until.name}: ${until} is not a day`, 'write for example "2027-03-31", in quotes');
  const kep = text('kep').replace(/^\/|\/$/g, '');
  return { rule: ruleIn(given.rule, text('rule')), kep, owner: text('owner'), reason: text('reason'), until };
}

const severityWords = ['error', 'warn', 'wait', 'info', 'off'] as const;

function severitiesOf<T extends (typeof severityWords)[number]>(
  value: ConfigValue,
  words: readonly T[],
  release?: ConfigValue,
): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const [name, setting] of value.entries()) {
    const text = setting.text();
    const word = words.find((each) => each === (text === 'false' ? 'off' : text));
    if (word === undefined) throw setting.error(`${setting.name}: ${text}`, `write ${words.join(', ')}`);
    if (word === 'wait' && !release?.isThere)
      throw setting.error(`${setting.name}: wait needs policy.release`, 'write for example policy: { release: v1.37 }');
    found.set(ruleIn(setting, name), word);
  }
  return found;
}
