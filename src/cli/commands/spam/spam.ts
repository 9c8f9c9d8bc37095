/** `drumlin spam`: learn from labelled sites what spam looks like, and score other sites. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { examples } from '../../input/example.ts';
import type { AskFlags, ExplainFlags } from './explain.ts';
import type { FeaturesFlags } from './features.ts';
import type { ScoreFlags, TestFlags, TrainFlags } from './work.ts';

const FEATURES = 'a file of features: .parquet, .csv, .tsv or .arff; text may be .gz';

const LABELS =
  'lines of a site, a tab, and spam or ham; or a crawl, for its blocked and trusted domains';

export function register(program: Command): void {
  const spam = program
    .command('spam')
    .description('learn from labelled sites what spam looks like, and score other sites')
    .addHelpText(
      'after',
      examples(
        'spam features my-crawl --sets content,names --out features.parquet',
        'spam train features.csv --labels labels.tsv --out model.json',
        'spam test model.json other-features.csv --labels other-labels.tsv',
        'spam score model.json features.csv > scores.tsv',
      ),
    );
  registerFeatures(spam);
  spam
    .command('train')
    .description('train learners on labelled sites, and choose the best ensemble of them')
    .argument('<features>', FEATURES)
    .requiredOption('--labels <place>', LABELS)
    .requiredOption('--out <file>', 'the new model')
    .option(
      '--fast',
      'three kinds of learners (a forest only of all sets together); svm-1 for terms: a minute instead of an hour',
    )
    .option('--learners <names>', 'choose from these learners only, such as boost-64,logistic-1')
    .option('--seed <number>', 'draws folds, bags and trees', wholeNumber, 1)
    .option('--skip-unknown', 'leave out labels of sites that the table does not have')
    .option('--skip-constant', 'leave out features with one value instead of refusing them')
    .addHelpText(
      'after',
      examples(
        'spam train features.csv --labels labels.tsv --out model.json --fast --skip-constant',
        'spam train features.csv --labels labels.tsv --out model.json --learners boost-64,logistic-1',
      ),
    )
    .action(async (path: string, flags: TrainFlags) => {
      await (await import('./work.ts')).train(path, flags, process.stderr);
    });
  spam
    .command('test')
    .description('compare the scores of a model with labels: AUC, average precision, calibration')
    .argument('<model>', 'a file of "spam train"')
    .argument('<features>', FEATURES)
    .requiredOption('--labels <place>', LABELS)
    .option('--skip-unknown', 'leave out labels of sites that the table does not have')
    .option('--json', 'print JSON')
    .option('--report <file>', 'write a page with plots')
    .addHelpText('after', examples('spam test model.json features.csv --labels labels.tsv'))
    .action(async (model: string, path: string, flags: TestFlags) => {
      await (await import('./work.ts')).test(model, path, flags, process.stdout);
    });
  registerExplain(spam);
  registerAsk(spam);
  spam
    .command('score')
    .description('print the probability of spam of each site, the greatest first')
    .argument('<model>', 'a file of "spam train"')
    .argument('<features>', FEATURES)
    .option('--top <count>', 'only so many', wholeNumber)
    .addHelpText('after', examples('spam score model.json features.csv --top 20'))
    .action(async (model: string, path: string, flags: ScoreFlags) => {
      await (await import('./work.ts')).score(model, path, flags, process.stdout);
    });
}

function registerExplain(spam: Command): void {
  spam
    .command('explain')
    .description('print which features moved the score of a site, by name and value')
    .argument('<model>', 'a file of "spam train"')
    .argument('<crawl>', 'a crawl or WARC files; or a file of features')
    .argument('<site>', 'the name of a site, as the model has them: a host or a domain')
    .option('--top <count>', 'so many features', wholeNumber, 20)
    .option('--memory <size>', 'memory for graphs', '1Gi')
    .option('--json', 'print JSON')
    .addHelpText('after', examples('spam explain model.json my-crawl example.org'))
    .action(async (model: string, crawl: string, site: string, flags: ExplainFlags) => {
      await (await import('./explain.ts')).explain(model, { crawl, site }, flags, process);
    });
}

function registerAsk(spam: Command): void {
  spam
    .command('ask')
    .description('print the sites whose labels would help a model most')
    .argument('<model>', 'a file of "spam train"')
    .argument('<features>', FEATURES)
    .option('--labels <place>', 'labels that are there already; a crawl, for its decisions')
    .option('--count <count>', 'so many sites', wholeNumber, 20)
    .addHelpText('after', examples('spam ask model.json features.parquet --labels labels.tsv'))
    .action(async (model: string, path: string, flags: AskFlags) => {
      await (await import('./explain.ts')).ask(model, path, flags, process.stdout);
    });
}

function registerFeatures(spam: Command): void {
  spam
    .command('features')
    .description('make features of the sites of stored crawls')
    .argument('<crawl...>', 'crawls or WARC files, the latest last: it is described')
    .requiredOption('--out <file>', 'the new table: .parquet, .arff, .csv or .tsv; text may be .gz')
    .addOption(
      new Option('--level <level>', 'what a site is').choices(['host', 'domain']).default('domain'),
    )
    .option('--sets <names>', 'kinds of features, with commas between', 'content,names')
    .option('--queries <file>', 'words that people search for: a query on each line')
    .option('--pages <count>', 'measure so many pages of a site, at most 400', wholeNumber, 400)
    .option('--groups <file>', 'sites that belong together: lines of a site, a tab, and its group')
    .option('--trusted <file>', 'sites that TrustRank trusts, one on each line, for links')
    .option('--memory <size>', 'memory for graphs', '1Gi')
    .option('--model <file>', 'measure with the word lists of this model, to score with it')
    .addHelpText(
      'after',
      examples(
        'spam features my-crawl --queries queries.txt --out features.parquet',
        'spam features my-crawl --model model.json --out to-score.csv',
      ),
    )
    .action(async (crawls: string[], flags: FeaturesFlags) => {
      await (await import('./features.ts')).features(crawls, flags, process.stderr);
    });
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write a whole number.');
}
