/** The strength of a password: four posts and a word, so colour is never the only sign. */
import { useTranslation } from 'react-i18next';
import { missingCharacters, passwordStrength, STRENGTH_POSTS } from './strength.ts';
import classes from './password.module.css';

export function PasswordMeter({ password, username }: { password: string; username?: string }) {
  const { t } = useTranslation('account');
  if (!password) return null;
  const strength = passwordStrength(password, username);
  const posts = STRENGTH_POSTS[strength];
  const text =
    strength === 'short'
      ? t('strength.short', { count: missingCharacters(password) })
      : t(`strength.${strength}`);
  return (
    <p className={`row8 top6 caption ${classes.meter}`} data-strength={strength} aria-live="polite">
      <span className={classes.posts} aria-hidden>
        {[1, 2, 3, 4].map((post) => (
          <i key={post} data-on={post <= posts || undefined} />
        ))}
      </span>
      <span className="hidden">{t('strength.label')}: </span>
      {text}
    </p>
  );
}
