/** Spec of a HorizontalPodAutoscaler of autoscaling/v2. */
export interface AutoscalerSpecFields {
  scaleTargetRef?: ReferenceFields;
  minReplicas?: number;
  maxReplicas?: number;
  metrics?: MetricFields[] | null;
  behavior?: { scaleUp?: ScalingRuleFields; scaleDown?: ScalingRuleFields };
}

/** An object in the same namespace. */
export interface ReferenceFields {
  apiVersion?: string;
  kind?: string;
  name?: string;
}

/** One metric: its type, and a source under the name of the type. */
export interface MetricFields {
  type?: string;
  resource?: { name?: string; target?: MetricTargetFields };
  containerResource?: { name?: string; container?: string; target?: MetricTargetFields };
  pods?: { metric?: MetricNameFields; target?: MetricTargetFields };
  object?: { describedObject?: ReferenceFields; metric?: MetricNameFields; target?: MetricTargetFields };
  external?: { metric?: MetricNameFields; target?: MetricTargetFields };
}

export interface MetricNameFields {
  name?: string;
  selector?: object;
}

/** What a metric shall be: one of three amounts. */
export interface MetricTargetFields {
  type?: string;
  value?: string;
  averageValue?: string;
  averageUtilization?: number;
}

/** How fast pods may come or go. */
export interface ScalingRuleFields {
  stabilizationWindowSeconds?: number;
  selectPolicy?: string;
  policies?: { type?: string; value?: number; periodSeconds?: number }[] | null;
  tolerance?: string;
}

/** One of `status.currentMetrics`: a type, and what was found under the name of the type. */
export interface MetricStatusFields {
  type?: string;
  [source: string]: unknown;
}
