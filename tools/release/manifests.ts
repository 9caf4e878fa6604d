import { serverNamespace } from '@slipway/features';
import { toYaml } from '@slipway/safe-yaml';
import { authorStamp, deployFolder, everything, type Files, generated, manifest } from './deploy-folder.js';
import { dashboard } from './monitoring/dashboard.js';
import { monitoringObjects } from './monitoring/monitoring-objects.js';
import { ruleGroups } from './monitoring/rules.js';

/** Returns the image that the manifests of the repository name; a release names its own. */
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

/** Returns `install.yaml`: what `slipway install` applies, in its order. */
export function installManifest(image: string): string {
  return manifest(everything(image));
}

/**
 * Returns `author-stamp.yaml`, with which the API server fills in `author`. A file of its own: a server without
 * MutatingAdmissionPolicy (before Kubernetes 1.36 by default) would reject a file that has one.
 */
export function authorStampManifest(): string {
  return manifest(authorStamp(placeholderImage('')));
}

/** Returns the kustomize base (`kustomize/`) and what watches the processes (`monitoring/`). */
export function manifestFolders(image: string): Files {
  return new Map([...below('kustomize', deployFolder(image)), ...below('monitoring', monitoringFolder())]);
}

function below(folder: string, files: Files): [string, string][] {
  return [...files].map(([path, text]) => [`${folder}/${path}`, text]);
}
