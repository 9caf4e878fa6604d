import { webhookConfigurations } from './webhook-configuration.js';

export const validatingWebhookConfigurations = webhookConfigurations('Validating');
