export { controllerManager } from '@slipway/controllers/controller-manager';
