/** API group of all kinds of this package, which are cluster-scoped. */
export const group = 'balloons.slipway.dev';
export const version = 'v1alpha1';
export const apiVersionOfGroup = `${group}/${version}`;

/** Keys on pods, nodes and our own objects. */
export const keys = {
  /** Label of a balloon pod: `true`. */
  balloon: `${group}/balloon`,
  /** Annotation of a balloon pod: its requests do not exist, rather than being in use. */
  accounting: `${group}/accounting`,
  /** Label of a node: the policy that manages it. */
  managed: `${group}/managed`,
  /** Label of a node: the machine it shares with others. */
  host: `${group}/host`,
  /** Label of a node: `off` excludes it from autosizing. */
  autosize: `${group}/autosize`,
  /** Taint while a balloon grows. */
  resizing: `${group}/resizing`,
  /** Taint until the balloon of a node has its size: a new balloon, or one that pods have left too little room. */
  unsized: `${group}/unsized`,
  /** Annotation of a node: until when, at the latest, the taint `resizing` may stay. RFC 3339. */
  fencedUntil: `${group}/fenced-until`,
  /** Scheduling gate of a balloon pod that has not been given its size yet. */
  sizeGate: `${group}/size`,
  /** Finalizer of a NodeSize: its node gets back all of its hardware before the object is deleted. */
  restore: `${group}/restore`,
  /** String on a node (1.37) that keeps a growing balloon from preempting pods. */
  noPreempt: `${group}/no-preempt`,
} as const;

/** Name of the one container of a balloon pod: dashboards select by it. */
export const balloonContainer = 'slipway-balloon';
