import { webhookConfigurations } from './webhook-configuration.js';

export const mutatingWebhookConfigurations = webhookConfigurations('Mutating');
