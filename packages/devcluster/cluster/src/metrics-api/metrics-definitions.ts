import { nodeMetrics } from './node-metrics.js';
import { podMetrics } from './pod-metrics.js';

/** The resources of metrics.k8s.io, which a metrics server adds to a cluster. */
export const metricsDefinitions = [nodeMetrics, podMetrics];
