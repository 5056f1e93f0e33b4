/** The tools that an answer calls: what they were asked, and a field for what they would have answered. */
import { Button, Textarea } from '@mantine/core';
import { IconArrowForwardUp, IconTool } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ToolCall } from './call.ts';
import type { AnswerStep } from './conversation.ts';
import { Markdown } from './markdown.tsx';
import classes from './answer.module.css';

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function CallHead({ call }: { call: ToolCall }) {
  return (
    <>
      <p className={classes.toolName}>
        <IconTool size={14} stroke={1.6} aria-hidden />
        <code>{call.name}</code>
      </p>
      <pre className={classes.toolText} tabIndex={0}>
        {pretty(call.arguments)}
      </pre>
    </>
  );
}

/** What came before the tools were answered. */
export function AnswerSteps({ steps }: { steps: readonly AnswerStep[] }) {
  const { t } = useTranslation('playground');
  return steps.map((step, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- steps are only added
    <div key={index} className={classes.step}>
      {step.content === '' ? null : <Markdown text={step.content} />}
      {step.calls.map((call) => (
        <div key={call.id} className={classes.tool}>
          <CallHead call={call} />
          <p className={classes.toolName}>
            <IconArrowForwardUp size={14} stroke={1.6} aria-hidden />
            {t('tools.answered')}
          </p>
          <pre className={classes.toolText} tabIndex={0}>
            {pretty(call.result)}
          </pre>
        </div>
      ))}
    </div>
  ));
}

interface OpenCallsProps {
  calls: readonly ToolCall[];
  /** What a tool answers before anything is typed. */
  presetOf: (name: string) => string;
  /** Undefined where the answer cannot go on. */
  onSend: ((results: readonly string[]) => void) | undefined;
}

export function OpenCalls({ calls, presetOf, onSend }: OpenCallsProps) {
  const { t } = useTranslation('playground');
  const [typed, setTyped] = useState<Record<string, string>>({});
  const resultOf = ({ id, name }: ToolCall) => typed[id] ?? presetOf(name);
  return (
    <>
      {calls.map((call) => (
        <div key={call.id} className={classes.tool}>
          <CallHead call={call} />
          {onSend ? (
            <Textarea
              aria-label={t('tools.answerOf', { name: call.name })}
              placeholder={t('tools.answerOf', { name: call.name })}
              autosize
              minRows={1}
              maxRows={8}
              spellCheck={false}
              value={resultOf(call)}
              onChange={(event) => setTyped({ ...typed, [call.id]: event.currentTarget.value })}
            />
          ) : null}
        </div>
      ))}
      {onSend ? (
        <div className={classes.toolSend}>
          <Button
            variant="default"
            leftSection={<IconArrowForwardUp size={15} stroke={1.6} />}
            onClick={() => onSend(calls.map(resultOf))}
          >
            {t('tools.send', { count: calls.length })}
          </Button>
        </div>
      ) : null}
    </>
  );
}
