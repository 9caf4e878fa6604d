import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromV1, toV1 } from './autoscaler-versions.js';
import { horizontalPodAutoscalers, horizontalPodAutoscalersV1 } from './horizontal-pod-autoscaler.js';
import { created, createErrors, row, writing } from './testing/write.js';

const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const cpu = (target: object) => ({ type: 'Resource', resource: { name: 'cpu', target } });
const autoscaler = (spec: object = {}) => ({ spec: { scaleTargetRef, maxReplicas: 5, ...spec } });

test('HorizontalPodAutoscaler looks at cpu where nobody says what to look at', () => {
  const made = created(horizontalPodAutoscalers, autoscaler());
  expect(made.spec).toMatchObject({
    minReplicas: 1,
    metrics: [cpu({ type: 'Utilization', averageUtilization: 80 })],
  });
  expect(row(horizontalPodAutoscalers, made)).toMatchObject({
    REFERENCE: 'Deployment/web',
    TARGETS: 'cpu: <unknown>/80%',
    MINPODS: '1',
    MAXPODS: 5,
    REPLICAS: 0,
  });
});

test('HorizontalPodAutoscaler shows two targets, and counts the others', () => {
  const external = {
    type: 'External',
    external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '30' } },
  };
  const memory = {
    type: 'Resource',
    resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
  };
  const made = created(
    horizontalPodAutoscalers,
    autoscaler({ metrics: [cpu({ type: 'Utilization', averageUtilization: 50 }), memory, external] }),
  );
  const currentMetrics = [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 20 } } }];
  expect(row(horizontalPodAutoscalers, { ...made, status: { currentMetrics } })).toMatchObject({
    TARGETS: 'cpu: 20%/50%, memory: <unknown>/1Gi + 1 more...',
  });
});

test('the pace of Kubernetes fills up what a behavior leaves out, and a tolerance takes its gate', () => {
  const behavior = { scaleUp: { stabilizationWindowSeconds: 60, tolerance: '0.05' } };
  const made = created(horizontalPodAutoscalers, autoscaler({ behavior }));
  expect(made.spec.behavior).toEqual({
    scaleUp: {
      stabilizationWindowSeconds: 60,
      selectPolicy: 'Max',
      policies: [
        { type: 'Pods', value: 4, periodSeconds: 15 },
        { type: 'Percent', value: 100, periodSeconds: 15 },
      ],
    },
    scaleDown: { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
  });
  const gated = created(
    horizontalPodAutoscalers,
    autoscaler({ behavior }),
    writing({ gates: ['HPAConfigurableTolerance'] }),
  );
  expect(gated.spec.behavior.scaleUp.tolerance).toBe('50m');
});

// spec | what is wrong with it
const invalid: [object, string[]][] = [
  [{}, []],
  [
    { minReplicas: 0, maxReplicas: 0 },
    [
      'spec.maxReplicas: Required value',
      'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
    ],
  ],
  [{ minReplicas: -1 }, ['spec.minReplicas: Invalid value: -1: must be greater than or equal to 0']],
  [
    { metrics: [{ type: 'Resource', pods: { metric: { name: 'a' } } }] },
    [
      'spec.metrics[0].pods.target.type: Required value: must specify a metric target type',
      'spec.metrics[0].pods.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
      'spec.metrics[0].pods.target.averageValue: Required value: must specify a positive target averageValue',
      'spec.metrics[0].resource: Required value: must populate information for the given metric source',
    ],
  ],
  [{ minReplicas: 6 }, ['spec.maxReplicas: Invalid value: 5: must be greater than or equal to `minReplicas`']],
  [{ scaleTargetRef: { apiVersion: 'apps/v1', kind: '', name: 'web' } }, ['spec.scaleTargetRef.kind: Required value']],
  [
    { scaleTargetRef: { apiVersion: 'v1', kind: 'A', name: 'web' } },
    ['spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group'],
  ],
  [
    { metrics: [{ type: 'Guess' }, { type: 'Resource' }, cpu({ type: 'Utilization' })] },
    [
      'spec.metrics[0].type: Unsupported value: "Guess": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      'spec.metrics[1].resource: Required value: must populate information for the given metric source',
      'spec.metrics[2].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
    ],
  ],
  [
    {
      behavior: {
        scaleDown: {
          stabilizationWindowSeconds: 4000,
          selectPolicy: 'Now',
          policies: [{ type: 'Pods', value: 0, periodSeconds: 9 }],
        },
      },
    },
    [
      'spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 4000: must be less than or equal to 3600',
      'spec.behavior.scaleDown.selectPolicy: Unsupported value: "Now": supported values: "Disabled", "Max", "Min"',
      'spec.behavior.scaleDown.policies[0].value: Invalid value: 0: must be greater than zero',
    ],
  ],
];

test.each(invalid)('HorizontalPodAutoscaler with %j', (spec, errors) => {
  expect(createErrors(horizontalPodAutoscalers, autoscaler(spec))).toEqual(errors);
});

test('autoscaling/v1 says cpu in a field', () => {
  const served = created(horizontalPodAutoscalersV1, autoscaler({ targetCPUUtilizationPercentage: 70 }));
  const stored = horizontalPodAutoscalersV1.view?.toStored(served);
  expect(stored).toMatchObject({ apiVersion: 'autoscaling/v2', spec: { metrics: [cpu({ averageUtilization: 70 })] } });
  expect(createErrors(horizontalPodAutoscalersV1, autoscaler({ maxReplicas: -1 }))).toHaveLength(2);
});

test('each version begins with the status that it has fields for', () => {
  const served = created(horizontalPodAutoscalersV1, autoscaler({}));
  expect(served.status).toEqual({ currentReplicas: 0, desiredReplicas: 0 });
  expect(horizontalPodAutoscalersV1.view?.toStored(served).status).toEqual({
    desiredReplicas: 0,
    currentMetrics: null,
  });
});

const metric = fc.oneof(
  fc.integer({ min: 1, max: 100 }).map((averageUtilization) => cpu({ type: 'Utilization', averageUtilization })),
  fc.constant({
    type: 'Resource',
    resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } },
  }),
);

test('nothing is lost on the way to autoscaling/v1 and back', () => {
  fc.assert(
    fc.property(fc.array(metric, { minLength: 1, maxLength: 3 }), fc.boolean(), (metrics, hasBehavior) => {
      const behavior = { scaleUp: { selectPolicy: 'Disabled' } };
      const stored = created(horizontalPodAutoscalers, autoscaler({ metrics, ...(hasBehavior && { behavior }) }));
      const back = fromV1(toV1(stored));
      const sorted = (list: object[]) => list.map((one) => JSON.stringify(one)).sort();
      expect({ ...back.spec, metrics: sorted(back.spec.metrics) }).toEqual({
        ...stored.spec,
        metrics: sorted(stored.spec.metrics),
      });
      expect(back.metadata).toEqual(stored.metadata);
    }),
  );
});
