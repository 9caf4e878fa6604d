export { ApiServers, type ApiServersOptions } from './adapters/api-servers.js';
export { type ComponentFlags, readComponentFlags } from './adapters/component-flags.js';
export { type ComponentPage, ComponentPageReader, readComponentPage } from './adapters/component-page.js';
export { fetchComponentPage, fetchConfiguredGates, fetchSetGates } from './adapters/fetch-component.js';
export { type PageAccess, PageError, type PageFetching } from './adapters/fetch-page.js';
export { ObservedGates, type ObservedGatesOptions } from './adapters/observed-gates.js';
export { singleBinary } from './adapters/single-binary.js';
export { Feature } from './api/feature.js';
