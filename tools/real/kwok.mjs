// @ts-check
/** kwok, which plays kubelets for a control plane of Kubernetes, built from its Go module into node_modules/.real. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stderr } from 'node:process';
import { build, builtFolder, download, removeWork, requireGo } from './go-modules.mjs';

const kwok = { module: 'sigs.k8s.io/kwok', version: '0.8.0' };

/** What its own clusters start with: nodes and pods are Ready at once, and nodes renew leases. */
const stages = [
  'node/fast/node-initialize',
  'node/heartbeat-with-lease/node-heartbeat-with-lease',
  'pod/fast/pod-ready',
  'pod/fast/pod-complete',
  'pod/fast/pod-delete',
];

/** Builds it if it was not built before, and returns a folder that has `kwok` and `stages.yaml`. Ends this process with 3 where there is no Go. */
export function kwokFolder() {
  const folder = join(builtFolder, `kwok-${kwok.version}`);
  const [program, config] = [join(folder, 'kwok'), join(folder, 'stages.yaml')];
  if (existsSync(program) && existsSync(config)) return folder;
  requireGo();
  mkdirSync(folder, { recursive: true });
  if (!existsSync(program)) {
    stderr.write(`building kwok ${kwok.version}; the first time takes minutes\n`);
    build(kwok, program, { package: `${kwok.module}/cmd/kwok` });
  }
  const { Dir } = download(kwok);
  const texts = stages.map((stage) => readFileSync(join(Dir, 'kustomize/stage', `${stage}.yaml`), 'utf8'));
  writeFileSync(config, texts.join('\n---\n'));
  removeWork();
  return folder;
}
