export { SlipwayProvider, type SlipwayProviderOptions } from './slipway-provider.js';
