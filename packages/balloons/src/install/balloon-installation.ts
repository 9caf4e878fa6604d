/** Namespaces and service account of a controller in a cluster. */
export interface BalloonInstallation {
  /** Namespace of the controller and of its lease. */
  readonly namespace: string;
  /** Name of its service account there. */
  readonly serviceAccount: string;
  /** Namespace of the balloon pods. */
  readonly balloons: string;
}

/** The defaults of `slipway install`. */
export const ordinaryInstallation: BalloonInstallation = {
  namespace: 'slipway-system',
  serviceAccount: 'slipway-balloons',
  balloons: 'kube-system',
};

/** The user name that API servers give to the controller. */
export function controllerUser({ namespace, serviceAccount }: BalloonInstallation): string {
  return `system:serviceaccount:${namespace}:${serviceAccount}`;
}
