import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const fixtures = fileURLToPath(new URL('../../../kep/testdata/rules/base/', import.meta.url));

/** Writes a checkout with one good proposal into a folder, and returns the folder of the proposal. */
export function checkoutAt(root: string): string {
  const proposal = join(root, 'keps/sig-demo/42-demo');
  const approvals = join(root, 'keps/prod-readiness/sig-demo');
  for (const folder of [proposal, approvals, join(root, '.slipway')]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, '.slipway/kep.yaml'), 'version: 1\ntemplate: template.md\n');
  cpSync(join(fixtures, 'template.md'), join(root, 'template.md'));
  cpSync(join(fixtures, 'approval.yaml'), join(approvals, '42.yaml'));
  for (const name of ['README.md', 'kep.yaml']) cpSync(join(fixtures, name), join(proposal, name));
  return proposal;
}
