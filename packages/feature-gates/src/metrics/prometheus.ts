export { Counter, Histogram, LabelledHistogram } from './instruments.js';
export {
  declaredMetricText,
  type Labels,
  type MetricType,
  metricContentType,
  metricText,
  type Sample,
} from './metric-text.js';
