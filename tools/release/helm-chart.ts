import { type KubeObject, sameJson } from '@slipway/kube';
import { toYaml } from '@slipway/safe-yaml';
import { installation, type PartName, partNames } from 'slipway/installation';
import { authorStamp, type Files } from './deploy-folder.js';
import { monitoringObjects } from './monitoring/monitoring-objects.js';

/** Stand where the templates have a value, so that the YAML around them is that of an ordinary object. */
const holes = { image: 'hole-of-the-image', namespace: 'hole-of-the-namespace' };

/** Key of a part in `values.yaml`. */
const valueKeys: Readonly<Record<PartName, string>> = {
  features: 'features',
  'node-agent': 'nodeAgent',
  balloons: 'balloons',
};

interface PartValues {
  readonly enabled: boolean;
  readonly replicas?: number;
  readonly resources: unknown;
}

/**
 * Returns the Helm chart, in a folder of the chart's name. Its templates are the objects that `slipway install` applies, with
 * values put in; there is no logic in them but whole objects that are there or not.
 */
export function helmChart(version: string): Files {
  const files: [string, string][] = [
    ['Chart.yaml', toYaml(chartOf(version))],
    ['values.yaml', valuesText()],
    ['values.schema.json', `${JSON.stringify(valuesSchema(), null, 2)}\n`],
    ['README.md', readme()],
    ...partNames.map((part): [string, string] => [`templates/${part}.yaml`, partTemplate(part)]),
    ['templates/author-stamp.yaml', authorStampTemplate()],
    ['templates/monitoring.yaml', monitoringTemplate()],
  ];
  return new Map(files.map(([path, text]) => [`slipway/${path}`, text]));
}

function chartOf(version: string) {
  return {
    apiVersion: 'v2',
    name: 'slipway',
    description: 'Turn Kubernetes features on and off safely, and resize nodes with balloons',
    type: 'application',
    version,
    appVersion: version,
    kubeVersion: '>=1.33.0-0',
  };
}

function partTemplate(part: PartName): string {
  const [extended, plain] = [true, false].map((isExtended) => objectsOf(part, isExtended));
  const condition = `{{- if .Values.${part === 'node-agent' ? 'pulls' : 'guards'} }}`;
  const keyOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.namespace}/${metadata.name}`;
  const documents = (extended ?? []).map((object) => {
    const other = plain?.find((one) => keyOf(one) === keyOf(object));
    const text = `---\n${template(object, part)}`;
    if (!other) return `${condition}\n${text}{{- end }}\n`;
    if (sameJson(object, other)) return text;
    return `${condition}\n${text}{{- else }}\n---\n${template(other, part)}{{- end }}\n`;
  });
  return `{{- if .Values.${valueKeys[part]}.enabled }}\n${documents.join('')}{{- end }}\n`;
}

/** Without the namespace, which Helm creates. @param isExtended with everything that has to be chosen */
function objectsOf(part: PartName, isExtended: boolean): readonly KubeObject[] {
  const chosen = { guards: isExtended, pulls: isExtended };
  const all = installation({ parts: [part], image: holes.image, ...chosen, namespace: holes.namespace });
  return all.filter(({ kind }) => kind !== 'Namespace');
}

/** Where the API server has the kind: others would reject the chart. */
function authorStampTemplate(): string {
  const documents = authorStamp(holes.image, holes.namespace).map((object) => `---\n${templateText(toYaml(object))}`);
  const isServed = '.Capabilities.APIVersions.Has "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy"';
  return `{{- if .Values.features.enabled }}\n{{- if ${isServed} }}\n${documents.join('')}{{- end }}\n{{- end }}\n`;
}

function monitoringTemplate(): string {
  const documents = monitoringObjects(holes.namespace).map((object) => `---\n${templateText(toYaml(object))}`);
  return `{{- if .Values.monitoring.enabled }}\n${documents.join('')}{{- end }}\n`;
}

function template(object: KubeObject, part: PartName): string {
  const key = `.Values.${valueKeys[part]}`;
  const { kind, metadata, spec } = object;
  if (kind === 'CustomResourceDefinition') {
    // Deleting a definition would delete all objects of its kind.
    const annotations = { ...metadata.annotations, 'helm.sh/resource-policy': 'keep' };
    return templateText(toYaml({ ...object, metadata: { ...metadata, annotations } }));
  }
  if (kind !== 'Deployment' && kind !== 'DaemonSet') return templateText(toYaml(object));
  const [container] = spec.template.spec.containers;
  const pod = { ...spec.template.spec, containers: [{ ...container, resources: 'hole-of-the-resources' }] };
  const replicas = spec.replicas === undefined ? {} : { replicas: 'hole-of-the-replicas' };
  const tuned = { ...object, spec: { ...spec, ...replicas, template: { ...spec.template, spec: pod } } };
  return templateText(toYaml(tuned))
    .replace('hole-of-the-resources', `{{ ${key}.resources | toJson }}`)
    .replace('hole-of-the-replicas', `{{ ${key}.replicas }}`);
}

/** Makes a template of the YAML of an object. A value that stands alone is quoted, so that no name is taken for a number. */
function templateText(yaml: string): string {
  const image = `{{ required ${JSON.stringify('image: say which image the processes run')} .Values.image | quote }}`;
  return yaml
    .replaceAll('{{', '{{ "{{" }}')
    .replaceAll(holes.image, image)
    .replace(
      new RegExp(`^(\\s*(?:- )*(?:[\\w./-]+: )?)${holes.namespace}$`, 'gm'),
      '$1{{ .Release.Namespace | quote }}',
    )
    .replaceAll(holes.namespace, '{{ .Release.Namespace }}');
}

/** Returns the default values of each part, read from the objects that are installed. */
function partValues(part: PartName): PartValues {
  const workload = objectsOf(part, true).find(({ kind }) => kind === 'Deployment' || kind === 'DaemonSet');
  const { replicas, template } = workload?.spec ?? {};
  const [{ resources }] = template.spec.containers;
  return { enabled: true, ...(replicas !== undefined && { replicas }), resources };
}

const comments: Readonly<Record<string, string>> = {
  image: 'Image of the processes, with the command slipway in its path. Required',
  guards: 'Whether the feature server may make admission policies that reject the use of features that are off',
  pulls: 'Whether node agents connect the pull limiters of their nodes to the cluster; they run as root then',
  features: 'The feature server, which turns features on and off',
  nodeAgent: 'The node agent, which reports what the Kubernetes components of each node run',
  balloons: 'The balloon controller, which resizes nodes',
  monitoring: 'A PodMonitor and a PrometheusRule, which need the Prometheus operator',
};

function defaultValues() {
  return {
    image: '',
    guards: false,
    pulls: false,
    ...Object.fromEntries(partNames.map((part) => [valueKeys[part], partValues(part)])),
    monitoring: { enabled: false },
  };
}

function valuesText(): string {
  const sections = Object.entries(defaultValues()).map(
    ([key, value]) => `# ${comments[key]}.\n${toYaml({ [key]: value })}`,
  );
  return sections.join('\n');
}

function valuesSchema() {
  const closed = (properties: Readonly<Record<string, unknown>>) => ({
    type: 'object',
    additionalProperties: false,
    properties,
  });
  const ofPart = (part: PartName) =>
    closed({
      enabled: { type: 'boolean' },
      ...(partValues(part).replicas !== undefined && { replicas: { type: 'integer', minimum: 1 } }),
      resources: { type: 'object' },
    });
  const properties = {
    image: { type: 'string', pattern: '^(\\S+)?$', description: comments.image },
    guards: { type: 'boolean', description: comments.guards },
    pulls: { type: 'boolean', description: comments.pulls },
    ...Object.fromEntries(partNames.map((part) => [valueKeys[part], ofPart(part)])),
    monitoring: closed({ enabled: { type: 'boolean' } }),
    // Helm itself adds values for all charts of a parent chart.
    global: { type: 'object' },
  };
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...closed(properties) };
}

function readme(): string {
  const rows = Object.entries(defaultValues()).flatMap(([key, value]) =>
    typeof value === 'object'
      ? Object.entries(value).map(
          ([name, of]) => `| \`${key}.${name}\` | \`${JSON.stringify(of)}\` | ${comments[key]} |`,
        )
      : [`| \`${key}\` | \`${JSON.stringify(value)}\` | ${comments[key]} |`],
  );
  return `# Slipway

    helm install slipway . --namespace slipway-system --create-namespace --set image=registry.example.com/slipway:TAG

The chart applies the objects that \`slipway install\` applies. The processes run in the namespace of the release. On a cluster that
enforces Pod Security levels, label it for the node agent, whose pods share the network of their node:

    kubectl label namespace slipway-system pod-security.kubernetes.io/enforce=privileged

\`helm uninstall\` leaves the definitions, because deleting one deletes all objects of its kind. Delete all BalloonPolicies first and
wait until they are gone: the balloon controller gives their nodes back in full.

| value | default | what it sets |
|---|---|---|
${rows.join('\n')}
`;
}
