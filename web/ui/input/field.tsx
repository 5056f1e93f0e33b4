/** A form row: label with a fact on the right, the control, a hint or an error below. */
import { useId, type ReactNode } from 'react';
import { useDescribedBy } from './described-by.ts';
import classes from './input.module.css';

interface FieldProps {
  label: ReactNode;
  /** The id of the control, so that the label belongs to it. */
  htmlFor?: string;
  fact?: ReactNode;
  hint?: ReactNode;
  error?: string;
  required?: boolean;
  children: ReactNode;
}

export function Field({ label, htmlFor, fact, hint, error, required, children }: FieldProps) {
  const Label = htmlFor ? 'label' : 'span';
  const noteId = useId();
  useDescribedBy(htmlFor, error || hint ? noteId : '');
  return (
    <div className="shrink" data-field-error={error ? true : undefined}>
      <div className={`row8 between ${classes.fieldHead}`}>
        <Label className={classes.fieldLabel} htmlFor={htmlFor}>
          {label}
          {required ? <span className="danger"> *</span> : null}
        </Label>
        {fact ? <span className="inline8 note">{fact}</span> : null}
      </div>
      {children}
      {error ? (
        <p id={noteId} className="top4 small danger">
          {error}
        </p>
      ) : null}
      {hint && !error ? (
        <p id={noteId} className="top4 note">
          {hint}
        </p>
      ) : null}
    </div>
  );
}

interface SectionProps {
  /** Where an index of the drawer leads to. */
  id?: string;
  icon?: ReactNode;
  title: ReactNode;
  fact?: ReactNode;
  children?: ReactNode;
}

/** Sections of a drawer, separated by a line. */
export function Section({ id, icon, title, fact, children }: SectionProps) {
  return (
    <section id={id} className={`stack12 ${classes.section}`}>
      <div className="row8">
        {icon ? (
          <span className={classes.sectionIcon} aria-hidden>
            {icon}
          </span>
        ) : null}
        <h3 className={classes.sectionTitle}>{title}</h3>
        {fact ? <span className="inline8 note">{fact}</span> : null}
      </div>
      {children}
    </section>
  );
}
