/** Names of the gates that parts of this control plane read, in one small place: their flags are read before the parts are loaded. */

/** OpenAPI v3 documents, and `/openapi/v3`. */
export const openApiGate = 'OpenAPIV3';

/** Lets the tolerance of an autoscaler be set in its behavior (KEP-4951). */
export const toleranceGate = 'HPAConfigurableTolerance';

/** Lets a rolling update of a StatefulSet take more than one pod away at once (KEP-961). */
export const maxUnavailableGate = 'MaxUnavailableStatefulSet';

/** From 1.37 on: the scheduler, not the kubelet, makes room for a pod that grows (KEP-5836). */
export const resizePreemptionGate = 'InPlacePodVerticalScalingSchedulerPreemption';

/** Images as volumes of pods (KEP-4639). */
export const imageVolumeGate = 'ImageVolume';

/** The gate that holds addresses and ranges of addresses to strict rules. */
export const strictAddressesGate = 'StrictIPCIDRValidation';

/** The gate that lets autoscalers scale to no pods. */
export const scaleToZeroGate = 'HPAScaleToZero';
