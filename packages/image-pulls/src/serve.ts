// What the process of `slipway pulls serve` loads: the daemon, without the kubelet side and without a YAML reader.
export { limitOf } from './config/configuration-section.js';
export { listenSocket, metricsAddress, type PullsConfiguration, socketPath } from './config/pulls-configuration.js';
export { defaultKubeletConfig } from './config/pulls-settings.js';
export { type ServeOptions, type Serving, serve } from './daemon/serve.js';
export { isNewEnough, oldestNode } from './node/node-version.js';
