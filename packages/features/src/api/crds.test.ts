import type { KubeObject } from '@slipway/kube';
import { expect, test } from 'vitest';
import { reasons } from './conditions.js';
import { featureCrds } from './crds.js';
import { featureName } from './names.js';

interface Node {
  readonly type?: string;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly additionalProperties?: Node;
  readonly required?: readonly string[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** Every schema of a document with its path. */
function nodes(at: string, node: Node): { readonly at: string; readonly node: Node }[] {
  const children = Object.entries(node.properties ?? {}).flatMap(([name, child]) => nodes(`${at}.${name}`, child));
  return [{ at, node }, ...children, ...(node.items ? nodes(`${at}[]`, node.items) : [])];
}

test('featureCrds() are structural: every node has a type, every field says what it is', () => {
  for (const crd of featureCrds()) {
    const root = crd.spec.versions[0].schema.openAPIV3Schema as Node;
    for (const { at, node } of nodes(crd.spec.names.kind, root)) {
      const isFree = node['x-kubernetes-int-or-string'] || node['x-kubernetes-preserve-unknown-fields'];
      if (!isFree) expect(node.type, at).toMatch(/^(object|array|string|integer|number|boolean)$/);
      const isTop = /^\w+(\.(apiVersion|kind|metadata))$/.test(at);
      if (!isTop) expect(node.description, at).toMatch(/^[A-Z].*[.]$/s);
      for (const name of node.required ?? []) expect(Object.keys(node.properties ?? {}), at).toContain(name);
      const isOpen = node['x-kubernetes-preserve-unknown-fields'] === true;
      if (node.type === 'object' && at !== `${crd.spec.names.kind}.metadata`) {
        expect(isOpen || node.properties !== undefined || node.additionalProperties !== undefined, at).toBe(true);
      }
      expect(node.type === 'array').toBe(node.items !== undefined);
    }
  }
});

test('featureCrds() have the columns that are true now', () => {
  const columns = (priority: number) =>
    (
      (featureCrds()[0] as KubeObject).spec.versions[0].additionalPrinterColumns as {
        name: string;
        priority?: number;
      }[]
    )
      .filter((column) => (column.priority ?? 0) === priority)
      .map(({ name }) => name.toUpperCase());
  expect(columns(0)).toEqual(['GATE', 'STAGE', 'STATE', 'CONFIGURED', 'USES', 'DANGLING', 'AGE']);
  expect(columns(1)).toEqual(['SINCE', 'NEXT', 'BLOCKED']);
});

test('reasons are single CamelCase words', () => {
  for (const [reason, meaning] of Object.entries(reasons)) {
    expect(reason).toMatch(/^[A-Z][A-Za-z]+$/);
    expect(meaning).toMatch(/\.$/);
  }
});

test.each([
  ['MaxUnavailableStatefulSet', 'maxunavailablestatefulset'],
  ['acme.io-Fast', 'acme.io-fast'],
  ['With_Underscore', undefined],
  ['Ends-', undefined],
  ['', undefined],
  ['a'.repeat(129), undefined],
])('featureName(%j) is %j', (gate, name) => {
  expect(featureName(gate)).toBe(name);
});
