/**
 * The typed list of message namespaces. The Chinese file of a namespace is its shape; a feature adds its own line
 * by augmenting `Namespaces` from its messages folder, so that a missing key fails the type check.
 */
import type conflict from './messages/conflict/zh.ts';
import type shell from './messages/shell/zh.ts';
import type sheet from './messages/sheet/zh.ts';
import type ui from './messages/ui/zh.ts';

export interface Namespaces {
  conflict: typeof conflict;
  shell: typeof shell;
  sheet: typeof sheet;
  ui: typeof ui;
}

export type Namespace = keyof Namespaces;

/** The shape another language must have: the same keys; English may add the singular of a plural. */
export type Messages<Shape> = {
  [Key in keyof Shape]: Shape[Key] extends string ? string : Messages<Shape[Key]>;
} & {
  [Key in keyof Shape as Key extends `${infer Base}_other` ? `${Base}_one` : never]?: string;
};

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'ui';
    resources: Namespaces;
    enableSelector: false;
  }
}
