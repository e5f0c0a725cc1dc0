/** Numbers, and `random`. */
export const NUMBERS = `
  abs acos acosh add asin asinh atan atan2 atanh bit_count bit_position cbrt ceil ceiling cos cosh cot
  degrees divide equi_width_bins even exp factorial fdiv floor fmod gamma gcd geomean geometric_mean
  get_bit greatest greatest_common_divisor is_histogram_other_bin isinf isnan lcm least
  least_common_multiple lgamma ln log log10 log2 mod multiply nextafter pi pow power radians random
  round round_even roundbankers set_bit sign signbit sin sinh sqrt subtract tan tanh trunc wavg
  weighted_avg xor
`;
