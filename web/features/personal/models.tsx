/** The models this account can call. Ten are shown, the rest on a click; a click on one copies its name. */
import { Button, TextInput, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorMessage } from '#web/api/errors.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { copyText } from '#web/ui/copy/copy.ts';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { personalQueries } from './queries.ts';
import classes from './models.module.css';
import personalClasses from './personal.module.css';

const SHOWN = 10;

export function Models() {
  const { t } = useTranslation('personal');
  const { t: ui } = useTranslation('ui');
  const models = useQuery(personalQueries.models());
  const [all, setAll] = useState(false);
  const [filter, setFilter] = useState('');
  if (models.error && !models.data)
    return <ErrorState message={errorMessage(models.error)} onRetry={() => void models.refetch()} />;
  if (!models.data) return <PostLoader label={ui('grid.loading')} />;
  if (models.data.length === 0)
    return <p className={`top2 note ${personalClasses.text}`}>{t('models.none')}</p>;
  const wanted = filter.trim().toLowerCase();
  const matching = models.data.filter((model) => model.toLowerCase().includes(wanted));
  const shown = all || wanted !== '' ? matching : matching.slice(0, SHOWN);
  const rest = models.data.length - SHOWN;
  return (
    <div className={`stack10 start ${classes.models}`}>
      {rest > 0 ? (
        <TextInput
          className={classes.modelFilter}
          aria-label={t('models.filter')}
          placeholder={t('models.filter')}
          leftSection={<IconSearch size={14} stroke={1.6} />}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
      ) : null}
      <ul aria-label={t('models.title')}>
        {shown.map((model) => (
          <li key={model}>
            <UnstyledButton
              className={classes.model}
              aria-label={t('models.copy', { name: model })}
              onClick={() => {
                void copyText(model).then(
                  (copied) => copied && toast.success(t('models.copied', { name: model })),
                );
              }}
            >
              {model}
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {matching.length === 0 ? (
        <p className={`top2 note ${personalClasses.text}`}>{t('models.noMatch')}</p>
      ) : null}
      {rest > 0 && wanted === '' ? (
        <Button variant="subtle" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t('models.less') : t('models.more', { count: rest })}
        </Button>
      ) : null}
    </div>
  );
}
