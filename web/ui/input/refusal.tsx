/**
 * What the server refused of a form. A sentence about a field of the form is shown at the field, which gets the focus; every
 * other sentence is shown above the buttons.
 */
import { useEffect, useRef, useState } from 'react';
import type { FieldProblem } from '#contract/endpoint.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import classes from './input.module.css';

interface Refused {
  fields: Readonly<Record<string, string>>;
  /** Shown above the buttons. */
  other: string | undefined;
  errors: readonly unknown[];
}

const NOTHING: Refused = { fields: {}, other: undefined, errors: [] };

export interface Refusal<Name extends string = string> {
  refused: Refused;
  /** Grows with each refusal. */
  count: number;
  /** Spread into the mutation that sends the form. `silent`: no toast repeats the sentence. */
  mutation: { meta: { silent: true }; onMutate: () => void; onError: (error: unknown) => void };
  /** For a form that sends several calls: all of their refusals at once. */
  show: (errors: readonly unknown[]) => void;
  errorOf: (name: Name) => string | undefined;
  /** One field after it was edited, or everything. */
  clear: (name?: Name) => void;
}

interface RefusalOptions<Name extends string> {
  /** Fields of the form. */
  names: readonly Name[];
  /** Form fields whose name differs from that in the request, by the name in the request. */
  aliases?: Readonly<Record<string, Name>>;
}

function fieldProblems(error: unknown): readonly FieldProblem[] {
  return error instanceof Error && 'fields' in error && Array.isArray(error.fields)
    ? (error.fields as FieldProblem[])
    : [];
}

export function sortRefusal<Name extends string>(
  error: unknown,
  { names, aliases }: RefusalOptions<Name>,
): Omit<Refused, 'errors'> {
  const problems = fieldProblems(error);
  const fields: Record<string, string> = {};
  let isShown = problems.length > 0;
  for (const { field, message } of problems) {
    // A schema names the entry of a list as well: `models.3`.
    const [root = ''] = field.split('.');
    const name = names.find((each) => each === (aliases?.[root] ?? root));
    if (name === undefined) isShown = false;
    else fields[name] ??= message;
  }
  return { fields, other: isShown ? undefined : error instanceof Error ? error.message : String(error) };
}

export function useRefusal<Name extends string>(
  names: readonly Name[],
  aliases?: RefusalOptions<Name>['aliases'],
): Refusal<Name> {
  const [refused, setRefused] = useState(NOTHING);
  const [count, setCount] = useState(0);
  const show = (errors: readonly unknown[]) => {
    const all = errors.map((error) => sortRefusal(error, { names, aliases }));
    setRefused({
      fields: Object.assign({}, ...all.map(({ fields }) => fields)) as Refused['fields'],
      other: all.flatMap(({ other }) => other ?? []).join(' ') || undefined,
      errors,
    });
    setCount((before) => before + 1);
  };
  return {
    refused,
    count,
    mutation: {
      meta: { silent: true },
      onMutate: () => setRefused(NOTHING),
      onError: (error) => show([error]),
    },
    show,
    errorOf: (name) => refused.fields[name],
    clear: (name) =>
      setRefused((before) => {
        if (name === undefined || before === NOTHING) return NOTHING;
        if (before.fields[name] === undefined) return before;
        const { [name]: _cleared, ...fields } = before.fields;
        return { ...before, fields };
      }),
  };
}

/** Puts the focus on the first control of the form that shows an error; false when there is none. */
export function focusFirstError(form: ParentNode): boolean {
  const inputs = 'input:not([type="hidden"]):not([hidden]), textarea';
  const marked = form.querySelector('[data-field-error], [data-error], [aria-invalid="true"]');
  // A field may have buttons before its input, such as those that remove a chosen model.
  const control = marked?.matches(inputs)
    ? marked
    : (marked?.querySelector(inputs) ?? marked?.querySelector('button'));
  if (!(control instanceof HTMLElement)) return false;
  control.scrollIntoView({ block: 'center' });
  control.focus({ preventScroll: true });
  return true;
}

/** Goes above the buttons of every form, inside its `<form>`. */
export function RefusalNotice({ refusal }: { refusal: Refusal<never> }) {
  const { refused, count } = refusal;
  const anchor = useRef<HTMLDivElement>(null);
  // A field that the form hides at the moment cannot show its sentence.
  const [hasHidden, setHasHidden] = useState(false);
  useEffect(() => {
    const form = anchor.current?.closest('form');
    setHasHidden(count > 0 && form ? !focusFirstError(form) : false);
  }, [count]);
  const other = refused.other ?? (hasHidden ? Object.values(refused.fields).join(' ') : '');
  return (
    <div ref={anchor} className={classes.refusal}>
      {other === '' ? null : <NoticeBox tone="danger">{other}</NoticeBox>}
    </div>
  );
}
