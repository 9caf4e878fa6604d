import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { serverNamespace } from '@slipway/features';
import { toYaml } from '@slipway/safe-yaml';
import { deployFolder, everything, type Files, generated, manifest } from './deploy-folder.js';
import { helmChart } from './helm-chart.js';
import { dashboard } from './monitoring/dashboard.js';
import { monitoringObjects } from './monitoring/monitoring-objects.js';
import { ruleGroups } from './monitoring/rules.js';

/** Returns the image that manifests name unless a release says which it is. */
export function placeholderImage(version: string): string {
  return `registry.example.com/slipway:${version}`;
}

/** Returns the monitoring files: for the Prometheus operator, for Prometheus without it, and for Grafana. */
export function monitoringFolder(): Files {
  const [podMonitor, prometheusRule] = monitoringObjects(serverNamespace);
  return new Map([
    ['pod-monitor.yaml', generated + toYaml(podMonitor)],
    ['prometheus-rule.yaml', generated + toYaml(prometheusRule)],
    ['rules.yaml', generated + toYaml({ groups: ruleGroups })],
    ['grafana-dashboard.json', `${JSON.stringify(dashboard(), null, 2)}\n`],
  ]);
}

/** Returns every file with which a release is put on a cluster. */
export function manifests(version: string, image = placeholderImage(version)): Files {
  return new Map([
    ['install.yaml', manifest(everything(image))],
    ...below('kustomize', deployFolder(image)),
    ...below('chart', helmChart(version)),
    ...below('monitoring', monitoringFolder()),
  ]);
}

/**
 * Writes `install.yaml`, the kustomize base (`kustomize/`), the Helm chart (`chart/slipway/`) and `monitoring/` into a folder.
 * The same arguments give the same bytes.
 */
export function writeManifests(outDir: string, version: string, image = placeholderImage(version)): void {
  for (const [path, text] of manifests(version, image)) {
    const file = join(outDir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function below(folder: string, files: Files): [string, string][] {
  return [...files].map(([path, text]) => [`${folder}/${path}`, text]);
}
