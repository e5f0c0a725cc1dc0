/** Aggregates and window functions: they see only the rows that they are given. */
export const AGGREGATES = `
  any_value approx_count_distinct approx_quantile approx_top_k arbitrary arg_max arg_max_null
  arg_max_nulls_last arg_min arg_min_null arg_min_nulls_last argmax argmin array_agg avg bit_and bit_or
  bit_xor bitstring_agg bool_and bool_or corr count count_if count_star countif covar_pop covar_samp
  cume_dist dense_rank entropy favg fill first first_value fsum group_concat histogram histogram_exact
  kahan_sum kurtosis kurtosis_pop lag last last_value lead list listagg mad max max_by mean median min
  min_by mode nth_value ntile percent_rank product quantile quantile_cont quantile_disc rank rank_dense
  regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy
  reservoir_quantile row_number sem skewness stddev stddev_pop stddev_samp string_agg sum
  sum_no_overflow sumkahan var_pop var_samp variance
`;

const NAMES: ReadonlySet<string> = new Set(AGGREGATES.trim().split(/\s+/));

export function isAggregate(name: string): boolean {
  return NAMES.has(name.toLowerCase());
}
