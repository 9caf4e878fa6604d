#!/usr/bin/env -S node --max-semi-space-size=16
// A cluster answers many requests at once; with room for their short-lived objects fewer are collected twice.
require('../dist/lib/start.cjs');
