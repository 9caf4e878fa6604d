export type Severity = 'error' | 'warn' | 'info';
