import type { YamlNode, YamlScalar } from '@slipway/safe-yaml';
import { stages } from '../metadata/stage.js';

/** What the tools of kubernetes/enhancements read a value as. */
export type FieldKind =
  | 'text'
  | 'yes-or-no'
  | { readonly listOf: FieldKind }
  | { readonly fields: Readonly<Record<string, FieldKind>> };

const texts: FieldKind = { listOf: 'text' };
const releases: FieldKind = { fields: Object.fromEntries(stages.map((stage) => [stage, 'text'])) };

/** All of `kep.yaml`. */
export const kepKind: FieldKind = {
  fields: {
    title: 'text',
    'kep-number': 'text',
    authors: texts,
    'owning-sig': 'text',
    'participating-sigs': texts,
    status: 'text',
    'creation-date': 'text',
    'last-updated': 'text',
    reviewers: texts,
    approvers: texts,
    editor: 'text',
    'see-also': texts,
    replaces: texts,
    'superseded-by': texts,
    stage: 'text',
    'latest-milestone': 'text',
    milestone: releases,
    'feature-gates': { listOf: { fields: { name: 'text', components: texts } } },
    'disable-supported': 'yes-or-no',
    metrics: texts,
  },
};

/** All of a production readiness file. */
export const approvalKind: FieldKind = {
  fields: {
    'kep-number': 'text',
    ...Object.fromEntries(stages.map((stage) => [stage, { fields: { approver: 'text' } }])),
  },
};

/** Words for people of what a value should be. */
export function inWords(kind: FieldKind): string {
  if (kind === 'text') return 'one text';
  if (kind === 'yes-or-no') return 'true or false';
  return 'listOf' in kind ? `a list${kind.listOf === 'text' ? ' of texts' : ''}` : 'a map';
}

/** A value that is not what it should be. `name` is its path: `feature-gates[0].components`. */
export interface WrongKind {
  readonly name: string;
  readonly node: YamlNode;
  readonly wanted: FieldKind;
}

/** A key that no tool reads, and the keys that are read instead. */
export interface UnknownKey {
  readonly name: string;
  readonly node: YamlNode;
  readonly known: readonly string[];
}

/** The words of YAML 1.1 too, which upstream's tools take for a boolean where they want one. */
function saysYesOrNo({ value, source, start, end }: YamlScalar): boolean {
  const isPlain = end - start === source.length;
  return typeof value === 'boolean' || (isPlain && /^(?:y|n|yes|no|on|off)$/i.test(source));
}

/** Whether a value is one text, as most that should be one are. */
function isText({ kind }: YamlNode, wanted: FieldKind | undefined): boolean {
  return kind === 'scalar' && wanted === 'text';
}

/** Compares a value with what it should be. What is empty is of any kind; whether it may be is for other rules. */
export function compareKind(
  node: YamlNode,
  kind: FieldKind,
  name: string,
): { readonly wrong: readonly WrongKind[]; readonly unknown: readonly UnknownKey[] } {
  const wrong: WrongKind[] = [];
  const unknown: UnknownKey[] = [];
  const visit = (at: YamlNode, wanted: FieldKind, path: string) => {
    if (at.kind === 'scalar' && at.value === null) return;
    if (typeof wanted === 'string') {
      const fits = at.kind === 'scalar' && (wanted === 'text' || saysYesOrNo(at));
      if (!fits) wrong.push({ name: path, node: at, wanted });
    } else if ('listOf' in wanted) {
      if (at.kind !== 'list') wrong.push({ name: path, node: at, wanted });
      else
        for (const [number, item] of at.items.entries())
          if (!isText(item, wanted.listOf)) visit(item, wanted.listOf, `${path}[${number}]`);
    } else if (at.kind !== 'map') wrong.push({ name: path, node: at, wanted });
    else {
      for (const { key, value } of at.entries) {
        const kindOfField = Object.hasOwn(wanted.fields, key.source) ? wanted.fields[key.source] : undefined;
        if (isText(value, kindOfField)) continue;
        const inner = path === '' ? key.source : `${path}.${key.source}`;
        if (kindOfField !== undefined) visit(value, kindOfField, inner);
        else unknown.push({ name: inner, node: key, known: Object.keys(wanted.fields) });
      }
    }
  };
  visit(node, kind, name);
  return { wrong, unknown };
}
