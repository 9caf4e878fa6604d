import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readPackage } from './read-package.mjs';

const folder = mkdtempSync(join(tmpdir(), 'slipway-go-'));
afterAll(() => rmSync(folder, { recursive: true }));

const types = `package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +enum
type Colour string

const (
	// Red is loud.
	Red Colour = "Red"
	Blue Colour = "Blue"
)

type Texts []string

// Kite flies.
type Kite struct {
	metav1.TypeMeta \`json:""\`

	// +optional
	metav1.ObjectMeta \`json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"\`
	// colour of it
	// +default=ref(Red)
	Colour Colour \`json:"colour" protobuf:"bytes,2,opt,name=colour,casttype=Colour"\`
	// +featureGate=LongTails,Tails
	// +listType=map
	// +listMapKey=name
	// +listMapKey=size
	Tails []Tail \`json:"tails,omitempty,omitzero" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,3,rep,name=tails"\`
	Tail  \`json:",inline" protobuf:"bytes,4,opt,name=tail"\`
	// +required
	Size *int64 \`json:"length,omitempty" protobuf:"varint,5,opt,name=size"\`
	Raw []byte \`json:"-" protobuf:"bytes,6,opt,name=raw"\`
	// +mapType=atomic
	Words map[string]Texts \`json:"words,omitempty" protobuf:"bytes,7,rep,name=words"\`
	Policy corev1.PullPolicy \`json:"policy,omitempty" protobuf:"bytes,8,opt,name=policy"\`
}

// +structType=atomic
type Tail struct {
	Name string \`json:"name" protobuf:"bytes,1,opt,name=name"\`
}
`;
const proto = `package k8s.io.api.core.v1;
// message Old {
message Kite {
  // optional string no = 9;
  optional .k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta metadata = 1;

  optional string colour = 2;

  repeated Tail tails = 3;

  optional Tail tail = 4;

  optional int64 size = 5;

  optional bytes raw = 6;

  map<string, Texts> words = 7;

  optional string policy = 8;
}

message Tail {
  optional string name = 1;
}

message Texts {
  repeated string items = 1;
}
`;
const register = `const GroupName = "toys.example.com"
	scheme.AddKnownTypes(SchemeGroupVersion, &Kite{}, &KiteList{})
`;

test('readPackage() joins Go types with their protobuf messages', () => {
  mkdirSync(join(folder, 'v1'));
  for (const [name, text] of Object.entries({ 'types.go': types, 'generated.proto': proto, 'register.go': register })) {
    writeFileSync(join(folder, 'v1', name), text);
  }
  const kite = { group: 'toys.example.com', version: 'v1' };
  expect(readPackage(join(folder, 'v1'), { prefix: 'core.v1' })).toEqual({
    group: 'toys.example.com',
    enums: { 'core.v1.Colour': ['Red', 'Blue'] },
    kinds: [
      { ...kite, kind: 'Kite', message: 'core.v1.Kite' },
      { ...kite, kind: 'KiteList', message: 'core.v1.KiteList' },
    ],
    messages: {
      'core.v1.Kite': {
        typeMeta: true,
        fields: [
          { number: 1, name: 'metadata', type: 'meta.v1.ObjectMeta', omitempty: true },
          { number: 2, name: 'colour', type: 'string', required: true, default: 'Red', enum: 'core.v1.Colour' },
          {
            ...{ number: 3, name: 'tails', type: 'core.v1.Tail', repeated: true, omitempty: true, omitzero: true },
            ...{ listType: 'map', listMapKeys: ['name', 'size'], patchStrategy: 'merge', patchMergeKey: 'name' },
            featureGates: ['LongTails', 'Tails'],
          },
          { number: 4, name: 'tail', type: 'core.v1.Tail', inline: true },
          {
            ...{ number: 5, name: 'length', protoName: 'size', type: 'int64', pointer: true, omitempty: true },
            required: true,
          },
          { number: 6, name: 'raw', type: 'bytes', jsonIgnored: true },
          { number: 7, name: 'words', type: 'map<string,core.v1.Texts>', omitempty: true, mapType: 'atomic' },
          { number: 8, name: 'policy', type: 'string', omitempty: true, enum: 'core.v1.PullPolicy' },
        ],
      },
      'core.v1.Tail': { structType: 'atomic', fields: [{ number: 1, name: 'name', type: 'string', required: true }] },
      'core.v1.Texts': {
        encoding: 'stringList',
        fields: [{ number: 1, name: 'items', type: 'string', repeated: true }],
      },
    },
  });
});
