import type { KepDocument } from '../document/document.js';
import { fingerprint } from '../document/fingerprint.js';
import { Lines, type Span } from '../document/lines.js';
import { readNames, type Suppression } from '../document/suppressions.js';
import { type FileRole, type KepFacts, type Report, type Rule, startOfFile } from '../facts/rule.js';
import type { Severity } from '../kinds/severity.js';
import type { KepYaml } from '../metadata/kep-yaml.js';
import { allRules, ioError, suppressionWithoutReason, unusedSuppression } from '../rules/catalogue.js';
import type { Baseline } from './baseline.js';
import type { CheckConfig } from './config.js';
import type { Finding } from './finding.js';
import type { KepPaths } from './kep-paths.js';
import { waitingSeverity, waiverFor } from './waivers.js';

/** Maximum for one rule in one proposal: a broken file can have millions. */
const maxFindings = 300;

/**
 * Holds one proposal to the rules. Suppressed findings without a reason are left
 * out, with a reason they are `waived`; those in the baseline are `baselined`. A rule that throws is a finding itself.
 */
export function checkKep(
  facts: KepFacts,
  paths: KepPaths,
  config: CheckConfig,
  baseline?: Baseline,
  rules: readonly Rule[] = allRules,
): Finding[] {
  const found: Finding[] = [];
  const suppressions = suppressionsOf(facts);
  const used = new Set<Suppression>();
  const add = (rule: Rule, report: Report) => {
    const severity = severityOf(rule, facts, config);
    if (severity === 'off') return;
    const lines = linesOf(report.file, facts);
    const start = lines.place(report.span.start);
    const suppression =
      rule.unsuppressible || config.unwaivable.has(rule.id)
        ? undefined
        : suppressions[report.file]?.find((each) => hides(each, rule, start.line - 1));
    if (suppression) used.add(suppression);
    if (suppression && suppression.reason === '') return;
    const section = report.section?.key;
    const waived = waiverFor(config.waivers, rule.id, paths, config.today);
    const print = fingerprint([rule.id, paths.kep, section ?? '', argument(report.message)].join('\n'));
    found.push({
      rule: rule.id,
      slug: rule.slug,
      severity,
      kep: paths.kep,
      path: paths[report.file],
      file: report.file,
      span: { start, end: lines.place(report.span.end) },
      message: waived?.isOver
        ? `${report.message} (a waiver by ${waived.waiver.owner} ended on ${waived.waiver.until})`
        : report.message,
      section,
      fix: report.fix,
      unsuppressible: rule.unsuppressible === true || config.unwaivable.has(rule.id),
      baselined: baseline?.hides(print, facts) ?? false,
      waived:
        waived && !waived.isOver
          ? `${waived.waiver.reason} (${waived.waiver.owner}, until ${waived.waiver.until})`
          : suppression?.reason,
      fingerprint: print,
    });
  };
  let current = ioError;
  let left = 0;
  const report = (each: Report) => {
    if (left-- > 0) add(current, each);
  };
  const asked = rulesFor(rules, facts, config);
  // An iterator makes an object for each of them.
  for (let at = 0; at < asked.length; at++) {
    const rule = asked[at] ?? ioError;
    current = rule;
    left = maxFindings;
    try {
      rule.check(facts, report);
    } catch (error) {
      const message = `${rule.id} could not be checked, which is a fault of Slipway${error instanceof Error ? `: ${error.message}` : ''}`;
      add(ioError, { file: facts.document ? 'readme' : 'yaml', span: startOfFile, message });
    }
  }
  for (const file of ['readme', 'yaml'] as const) {
    for (const suppression of suppressions[file] ?? []) {
      const report = (message: string): Report => ({ file, span: suppression, message });
      const wanted = (rule: Rule) => !config.only || config.only.has(rule.id);
      if (suppression.reason === '' && config.requireReason && wanted(suppressionWithoutReason)) {
        add(suppressionWithoutReason, report(`say why ${suppression.rules.join(', ')} does not count here`));
      }
      if (!used.has(suppression) && !config.only) {
        const names = suppression.rules.join(', ') || 'it';
        const isRefused = suppression.rules.some((name) => isUnwaivable(name, config));
        const message = isRefused
          ? `${names} cannot be hidden by a comment: the policy of the repository says so`
          : `nothing to hide here: ${names} finds nothing`;
        add(unusedSuppression, {
          ...report(message),
          fix: removal(file, facts, suppression),
        });
      }
    }
  }
  return found.sort(
    (one, other) =>
      compare(one.path, other.path) ||
      one.span.start.line - other.span.start.line ||
      one.span.start.column - other.span.start.column,
  );
}

const rulesKnown = new WeakMap<readonly Rule[], WeakMap<CheckConfig, Map<string, readonly Rule[]>>>();

/** The rules that a proposal is held to: those of its kind and phase that are wanted and not off. */
function rulesFor(rules: readonly Rule[], facts: KepFacts, config: CheckConfig): readonly Rule[] {
  const byConfig = rulesKnown.get(rules) ?? new WeakMap<CheckConfig, Map<string, readonly Rule[]>>();
  rulesKnown.set(rules, byConfig);
  const known = byConfig.get(config) ?? new Map<string, readonly Rule[]>();
  byConfig.set(config, known);
  // All that `severityOf` looks at.
  const key = [facts.declared?.kind.name ?? '', facts.phase, facts.milestone ?? ''].join(' ');
  const found = known.get(key) ?? rules.filter((rule) => isAsked(rule, facts, config));
  known.set(key, found);
  return found;
}

function isAsked(rule: Rule, facts: KepFacts, config: CheckConfig): boolean {
  const kind = facts.declared ? 'declared' : 'kep';
  if ((rule.of ?? kind) !== kind || (facts.phase === 'frozen' && !rule.whenFrozen)) return false;
  return (!config.only || config.only.has(rule.id)) && severityOf(rule, facts, config) !== 'off';
}

function isUnwaivable(name: string, { unwaivable }: CheckConfig): boolean {
  return allRules.some(({ id, slug }) => (id === name || slug === name) && unwaivable.has(id));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Returns the configured severity of a rule for this proposal; `off` = not reported. */
export function severityOf(rule: Rule, facts: KepFacts, config: CheckConfig): Severity | 'off' {
  const own = config.severities.size > 0 ? config.severities.get(rule.id) : undefined;
  const configured = facts.declared?.kind.severities.get(rule.id) ?? own;
  if (configured === 'wait') return waitingSeverity(facts.milestone, config.release);
  const severity = configured ?? rule.severity[facts.phase === 'gated' ? 'gated' : 'draft'];
  const { enforceFrom } = config;
  const isOlder = enforceFrom !== undefined && (facts.milestone ?? 0) < enforceFrom;
  return severity === 'error' && isOlder && !rule.hard ? 'warn' : severity;
}

function hides(suppression: Suppression, rule: Rule, line: number): boolean {
  const named = suppression.rules.includes(rule.id) || suppression.rules.includes(rule.slug);
  return named && suppression.firstLine <= line && line <= suppression.lastLine;
}

/** What stays of a message when lines and counts change. */
function argument(message: string): string {
  return message.replace(/\d+/g, '#');
}

const noLines = new Lines('');

function linesOf(file: FileRole, { document, yaml, approval }: KepFacts): Lines {
  const lines = { readme: document?.lines, yaml: yaml?.lines, approval: approval?.lines }[file];
  return lines ?? noLines;
}

function suppressionsOf({ document, yaml }: KepFacts): Partial<Record<FileRole, readonly Suppression[]>> {
  return { readme: document?.suppressions ?? [], yaml: yaml ? yamlSuppressions(yaml) : [] };
}

const yamlForm = /#[ \t]*slipway-disable(-file)?[ \t]+([^\r\n]*)/g;

/** In `kep.yaml` a comment behind a value counts for its line, one on a line of its own for the next. */
function yamlSuppressions({ text, lines }: KepYaml): Suppression[] {
  if (!text.includes('slipway-disable')) return [];
  return [...text.matchAll(yamlForm)].map((match) => {
    const { rules, reason } = readNames(match[2] ?? '');
    const line = lines.at(match.index);
    const isAlone = text.slice(lines.start(line), match.index).trim() === '';
    const only = isAlone ? line + 1 : line;
    const range = match[1] ? { firstLine: 0, lastLine: lines.count } : { firstLine: only, lastLine: only };
    return { start: match.index, end: match.index + match[0].length, rules, reason, ...range };
  });
}

function removal(file: FileRole, { document, yaml }: KepFacts, { start, end }: Span): Report['fix'] {
  const source: KepDocument | KepYaml | undefined = file === 'readme' ? document : yaml;
  if (!source) return undefined;
  const line = source.lines.at(start);
  const from = source.lines.start(line);
  const to = source.lines.end(source.lines.at(end));
  const isAlone = source.text.slice(from, start).trim() === '' && source.text.slice(end, to).trim() === '';
  const edit = isAlone
    ? { start: from, end: source.lines.start(source.lines.at(end) + 1), text: '' }
    : { start, end, text: '' };
  return { safety: 'safe', edits: [edit] };
}
