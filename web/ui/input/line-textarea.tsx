/** A textarea checked line by line: a gutter with numbers; a bad line is marked and shows its reason. */
import { useId, useRef } from 'react';
import classes from './input.module.css';

interface LineTextareaProps {
  value: string;
  onChange: (value: string) => void;
  /** The reason a line is wrong, or undefined. Blank lines are not checked. */
  check: (line: string) => string | undefined;
  label: string;
  placeholder?: string;
  minRows?: number;
  maxRows?: number;
  disabled?: boolean;
  /** A sentence about the whole text. */
  error?: string;
  id?: string;
}

export interface LineProblem {
  line: number;
  reason: string;
}

export function lineProblems(value: string, check: (line: string) => string | undefined): LineProblem[] {
  return value.split('\n').flatMap((line, index) => {
    const reason = line.trim() ? check(line.trim()) : undefined;
    return reason ? [{ line: index + 1, reason }] : [];
  });
}

export function LineTextarea(props: LineTextareaProps) {
  const {
    value,
    onChange,
    check,
    label,
    placeholder,
    minRows = 3,
    maxRows = 10,
    disabled,
    error,
    id,
  } = props;
  const problemsId = useId();
  const backdrop = useRef<HTMLDivElement>(null);
  const lines = value.split('\n');
  const problems = new Map(lineProblems(value, check).map((problem) => [problem.line, problem.reason]));
  const rows = Math.min(maxRows, Math.max(minRows, lines.length));
  const box = (
    <div
      className={classes.lines}
      data-invalid={problems.size > 0 || error ? true : undefined}
      data-disabled={disabled || undefined}
    >
      <div className={classes.linesBackdrop} ref={backdrop} aria-hidden>
        {Array.from({ length: Math.max(rows, lines.length) }, (_, index) => {
          const reason = problems.get(index + 1);
          return (
            <div key={index} className={classes.line} data-bad={reason ? true : undefined}>
              <span className={classes.lineNumber}>{index < lines.length ? index + 1 : ''}</span>
              {reason ? <span className={classes.lineReason}>{reason}</span> : null}
            </div>
          );
        })}
      </div>
      <textarea
        id={id}
        className={classes.linesInput}
        aria-label={label}
        aria-invalid={problems.size > 0 || Boolean(error)}
        aria-describedby={problems.size > 0 || error ? problemsId : undefined}
        value={value}
        rows={rows}
        placeholder={placeholder}
        disabled={disabled}
        spellCheck={false}
        autoComplete="off"
        wrap="off"
        onChange={(event) => onChange(event.currentTarget.value)}
        onScroll={(event) => {
          if (backdrop.current) backdrop.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
      <ul id={problemsId} className="hidden">
        {[...problems].map(([line, reason]) => (
          <li key={line}>{`${line}: ${reason}`}</li>
        ))}
        {error ? <li>{error}</li> : null}
      </ul>
    </div>
  );
  return error ? (
    <>
      {box}
      <p className="top4 small danger">{error}</p>
    </>
  ) : (
    box
  );
}
