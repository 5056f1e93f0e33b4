/** @jsxImportSource hono/jsx */
// Parts that several pages are made of.
import type { Child } from 'hono/jsx';
import type { Language, Text } from '#contract/language.ts';
import { vendorMark } from '#contract/vendor-mark.ts';
import { Icon } from './icons.tsx';
import { WORDS } from './words.ts';

interface SheetProps {
  id?: string;
  title: string;
  /** What the figures are made from, beside the title. */
  note?: Child;
  end?: Child;
  children?: Child;
}

/** A ruled section. */
export function Sheet({ id, title, note, end, children }: SheetProps) {
  return (
    <section class="sheet" id={id} aria-label={title}>
      <div class="sheet-head">
        <h2>{title}</h2>
        {note === undefined ? null : <span class="note">{note}</span>}
        {end === undefined ? null : <span class="end">{end}</span>}
      </div>
      {children}
    </section>
  );
}

interface FigureProps {
  label: string;
  value: Child;
  unit?: string;
  note?: Child;
  children?: Child;
}

export function Figure({ label, value, unit, note, children }: FigureProps) {
  return (
    <div>
      <div class="label">{label}</div>
      <div class="figure">
        {value}
        {unit === undefined ? null : <small>{unit}</small>}
      </div>
      {note === undefined ? null : <div class="note">{note}</div>}
      {children}
    </div>
  );
}

/** An empty value: a short line, with words for those who do not see it. */
export function Nothing({ label }: { label: string }) {
  return (
    <>
      <span class="empty" aria-hidden="true" />
      <span class="hidden">{label}</span>
    </>
  );
}

/** Two letters in the hue of their name. */
export function Monogram({ name }: { name: string }) {
  const { letters, hue } = vendorMark(name);
  return (
    <span class={`monogram hue-${hue}`} aria-hidden="true">
      {letters}
    </span>
  );
}

interface CopyButtonProps {
  language: Language;
  label: Text;
  /** Selects the element whose text is copied. */
  of: string;
}

export function CopyButton({ language, label, of }: CopyButtonProps) {
  return (
    <button
      type="button"
      class="icon-button"
      data-needs-script
      data-copy={of}
      data-done={WORDS.copied[language]}
      data-failed={WORDS.cannotCopy[language]}
      aria-label={label[language]}
      title={WORDS.copy[language]}
    >
      <Icon name="copy" />
    </button>
  );
}

export interface CodeSample {
  readonly id: string;
  readonly label: string;
  readonly code: string;
}

interface CodeTabsProps {
  /** Unique on the page. */
  id: string;
  language: Language;
  label: Text;
  copyLabel: Text;
  samples: readonly CodeSample[];
}

/** Samples as tabs; without a script they stand below each other. */
export function CodeTabs({ id, language, label, copyLabel, samples }: CodeTabsProps) {
  return (
    <div class="code" data-tabs>
      <div class="code-head" data-needs-script>
        <div class="tab-list" role="tablist" aria-label={label[language]}>
          {samples.map((sample, index) => (
            <button
              type="button"
              role="tab"
              id={`${id}-tab-${sample.id}`}
              aria-controls={`${id}-${sample.id}`}
              aria-selected={index === 0 ? 'true' : 'false'}
            >
              {sample.label}
            </button>
          ))}
        </div>
      </div>
      {samples.map((sample) => (
        <div class="panel" role="tabpanel" id={`${id}-${sample.id}`} aria-label={sample.label}>
          <pre tabindex={0}>
            <code id={`${id}-${sample.id}-code`}>{sample.code}</code>
          </pre>
          <CopyButton language={language} label={copyLabel} of={`#${id}-${sample.id}-code`} />
        </div>
      ))}
    </div>
  );
}
