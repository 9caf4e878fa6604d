import { readFileSync, writeFileSync } from 'node:fs';
import { balloonCrds, balloonManifests } from '@slipway/balloons';
import { toYaml } from '@slipway/safe-yaml';
import { expect, test } from 'vitest';

const header = '# Written by its test: UPDATE_GOLDEN=1 npx vitest run --project unit tools/balloon-manifests.test.ts\n';
const isAdmission = ({ kind }: { readonly kind: string }) => kind.startsWith('ValidatingAdmission');

const files = [
  ['crds.yaml', balloonCrds()],
  ['rbac.yaml', balloonManifests().filter((object) => !isAdmission(object))],
  ['admission-policies.yaml', balloonManifests().filter(isAdmission)],
] as const;

test.each(files)('deploy/balloons/%s is what `slipway install` applies', (name, objects) => {
  const file = new URL(`../deploy/balloons/${name}`, import.meta.url);
  const text = header + objects.map((object) => toYaml(object)).join('---\n');
  if (process.env.UPDATE_GOLDEN) writeFileSync(file, text);
  expect(readFileSync(file, 'utf8')).toBe(text);
});
