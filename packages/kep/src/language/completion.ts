import { statuses } from '../facts/facts.js';
import type { KepYaml } from '../metadata/kep-yaml.js';
import { stages } from '../metadata/stage.js';
import { allRules } from '../rules/catalogue.js';
import type { CompletionItem } from './completion-item.js';
import { completionsInFields } from './declared-fields.js';
import { fieldHelp } from './field-help.js';
import type { OpenKep } from './open-kep.js';
import type { Position, TextEdit } from './text-range.js';

/** In a README: titles that are still missing behind `#`, and rules in a suppression. */
export function completionsInReadme({ facts }: OpenKep, at: Position): CompletionItem[] {
  const { document, assessed, declared } = facts;
  if (!document) return [];
  const inFields = declared?.metadata.file === 'readme' && completionsInFields(declared, document.text, at);
  if (inFields) return inFields;
  const start = document.lines.start(at.line);
  const before = document.text.slice(start, Math.min(start + at.character, document.lines.end(at.line)));
  const replace = (from: number, newText: string): TextEdit => ({
    range: { start: { line: at.line, character: from }, end: at },
    newText,
  });
  if (/^#{1,6}\s?/.test(before)) {
    return assessed
      .filter(({ match, wanted }) => !match && wanted.section.level > 1)
      .map(({ wanted }) => ({
        label: wanted.title,
        detail: wanted.required ? `required${wanted.stage && ` from ${wanted.stage} on`}` : 'optional',
        edit: replace(0, `${'#'.repeat(wanted.section.level)} ${wanted.title}`),
      }));
  }
  const gate = /feature gate name:\s*`?(\w*)$/i.exec(before);
  if (gate) {
    const names = facts.yaml?.gates.flatMap(({ name }) => name?.value ?? []) ?? [];
    const from = before.length - (gate[1]?.length ?? 0);
    return names.map((name) => ({ label: name, detail: 'feature gate of kep.yaml', edit: replace(from, name) }));
  }
  const suppression = /<!--\s*slipway-disable[a-z-]*\s+([^>]*,\s*)?([\w-]*)$/.exec(before);
  return suppression ? rulesFor((text) => replace(before.length - (suppression[2]?.length ?? 0), text)) : [];
}

/** In `kep.yaml`: fields that are missing, and the values that a field can have. */
export function completionsInYaml({ facts }: OpenKep, at: Position): CompletionItem[] {
  const { yaml, repository, declared } = facts;
  if (!yaml) return [];
  if (declared) return completionsInFields(declared, yaml.text, at) ?? [];
  const start = yaml.lines.start(at.line);
  const before = yaml.text.slice(start, Math.min(start + at.character, yaml.lines.end(at.line)));
  const replace = (from: number, newText: string): TextEdit => ({
    range: { start: { line: at.line, character: from }, end: at },
    newText,
  });
  const suppression = /#\s*slipway-disable(?:-file)?\s+([^#]*,\s*)?([\w-]*)$/.exec(before);
  if (suppression) return rulesFor((text) => replace(before.length - (suppression[2]?.length ?? 0), text));
  if (/^[a-z-]*$/.test(before)) return missingFields(yaml, (text) => replace(0, text));
  const typed = /([^\s"']*)$/.exec(before)?.[1] ?? '';
  return valuesOf(fieldAt(yaml, at.line), repository).map((value) => ({
    label: value,
    detail: '',
    edit: replace(before.length - typed.length, value),
  }));
}

/** In a production readiness file: who may approve. */
export function completionsInApproval({ facts }: OpenKep, at: Position): CompletionItem[] {
  const { approval, repository } = facts;
  if (!approval) return [];
  const start = approval.lines.start(at.line);
  const typed = /approver:\s*("?@?[\w-]*)$/.exec(approval.text.slice(start, start + at.character))?.[1];
  if (typed === undefined) return [];
  const range = { start: { line: at.line, character: at.character - typed.length }, end: at };
  return [...(repository.approvers ?? [])].sort().map((handle) => ({
    label: `@${handle}`,
    detail: 'approves production readiness',
    edit: { range, newText: `"@${handle}"` },
  }));
}

function rulesFor(replace: (text: string) => TextEdit): CompletionItem[] {
  return allRules
    .filter(({ unsuppressible }) => !unsuppressible)
    .map(({ id, slug, summary }) => ({ label: `${id} ${slug}`, detail: summary, edit: replace(id) }));
}

function missingFields(yaml: KepYaml, replace: (text: string) => TextEdit): CompletionItem[] {
  return Object.entries(fieldHelp)
    .filter(([name]) => !yaml.node(name))
    .map(([name, detail]) => ({ label: name, detail, edit: replace(`${name}: `) }));
}

/** The field that a line belongs to: the nearest key above that is not further in. */
function fieldAt({ text, lines }: KepYaml, line: number): string {
  for (let at = line; at >= 0; at--) {
    const key = /^(?:\s*-\s+|\s*)([a-z-]+):/.exec(text.slice(lines.start(at), lines.end(at)));
    if (key?.[1] && (at === line || !/^\s*-\s/.test(key[0]) || key[1] === 'components')) return key[1];
  }
  return '';
}

function valuesOf(field: string, repository: OpenKep['facts']['repository']): readonly string[] {
  switch (field) {
    case 'status':
      return statuses;
    case 'stage':
      return stages;
    case 'milestone':
      return stages.map((stage) => `${stage}: `);
    case 'owning-sig':
    case 'participating-sigs':
      return [...(repository.groups ?? [])].sort();
    case 'components':
      return [...repository.components].sort();
    case 'disable-supported':
      return ['true', 'false'];
  }
  return [];
}
