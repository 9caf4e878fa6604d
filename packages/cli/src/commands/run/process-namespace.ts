import { Option } from 'commander';

/** Adds `--namespace`: where a process keeps its lease. In a pod it is the namespace of the pod. */
export function processNamespaceOption(): Option {
  return new Option('--namespace <name>', 'namespace of this process and its lease')
    .env('POD_NAMESPACE')
    .default('slipway-system');
}
