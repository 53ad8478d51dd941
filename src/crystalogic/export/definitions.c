/* What exported rules call, each after its name; $NAMES are put in when they are written. */
/* @ spaces */

static size_t spaces(const char *text) /* bytes of the white space that a text begins with */
{
    static const char *const SPACES[] = {$WHITESPACE};
    size_t i, n = 0;
    for (i = 0; i < sizeof SPACES / sizeof *SPACES; i++)
        if (strncmp(text + n, SPACES[i], strlen(SPACES[i])) == 0) {
            n += strlen(SPACES[i]);
            i = (size_t)-1;
        }
    return n;
}
/* @ same */

static double same(const char *value, const char *text)
{
    size_t n = strlen(text);
    if (value == NULL)
        return 0.0;
    value += spaces(value);
    return strncmp(value, text, n) == 0 && value[n + spaces(value + n)] == 0 ? 1.0 : 0.0;
}
/* @ absent */

static double absent(const char *value)
{
    return value == NULL || value[spaces(value)] == 0 ? 1.0 : 0.0;
}
/* @ missing_text */

static double missing_text(const char *value)
{
    static const char *const MISSING[] = {$MISSING_TEXTS};
    size_t i;
    for (i = 0; i < sizeof MISSING / sizeof *MISSING; i++)
        if (value == NULL || same(value, MISSING[i]) > 0.0)
            return 1.0;
    return 0.0;
}
/* @ writes */

static double writes(const char *value, const char *text, double wanted) /* whether it counts this; 007 is a code */
{
    static const char DIGITS[] = "0123456789";
    const char *start;
    char *end;
    size_t n;
    if (value == NULL)
        return 0.0;
    value += spaces(value);
    start = value + (*value == '+' || *value == '-');
    n = strspn(start, DIGITS);
    if (n == 0 && (*start != '.' || strspn(start + 1, DIGITS) == 0))
        return 0.0;
    if ((n > 1 && *start == '0') || start[n] == 'x' || start[n] == 'X')
        return 0.0;
    if (n > 15 && n <= $MOST_DIGITS && start[n + spaces(start + n)] == 0) /* a double may stand for several */
        return same(value + (*value == '+'), text);
    return strtod(value, &end) == wanted && end[spaces(end)] == 0 ? 1.0 : 0.0;
}
/* @ equal */

static double equal(double value, double number)
{
    return value == number ? 1.0 : 0.0;
}
/* @ missing_number */

static double missing_number(double value)
{
    return isnan(value) ? 1.0 : 0.0;
}
/* @ number */

static double number(double value)
{
    return isfinite(value) ? value : NAN;
}
/* @ given */

static double given(double value, double is_missing)
{
    return is_missing > 0.0 ? NAN : value;
}
/* @ unread */

static double unread(double number)
{
    return isnan(number) ? 1.0 : 0.0;
}
/* @ between */

static double between(double number, double low, double high, double width)
{
    return number >= high ? 1.0 : number > low ? (number - low) / width : 0.0;
}
/* @ reaches */

static double reaches(double number, double cut)
{
    return number >= cut ? 1.0 : 0.0;
}
/* @ least */

static double least(double x, double y)
{
    return x < y ? x : y;
}
/* @ greatest */

static double greatest(double x, double y)
{
    return x > y ? x : y;
}
/* @ alike */

static double alike(double x, double y)
{
    return 1.0 - fabs(x - y);
}
/* @ at_least_0 */

static double at_least_0(double x)
{
    return x > 0.0 ? x : 0.0;
}
/* @ at_most_1 */

static double at_most_1(double x)
{
    return x < 1.0 ? x : 1.0;
}
/* @ share_out */

/* How likely each of n classes is: each rule has its share of what is left, and no class is likelier than the decision. */
static void share_out(double *found, const double *told, const int *order, int n, int place)
{
    double left = 1.0, most = 0.0, lacking, moved;
    int i;
    for (i = 0; i < n - 1; i++) {
        found[order[i]] = left * told[i];
        left *= 1.0 - told[i];
    }
    found[order[n - 1]] = left;
    for (i = 0; i < n; i++)
        most = found[i] > most ? found[i] : most;
    lacking = most - found[place];
    moved = lacking > 0.0 ? lacking / (1.0 + lacking) + $LEVEL : 0.0;
    for (i = 0; i < n; i++)
        found[i] = found[i] * (1.0 - moved) + (i == place ? moved : 0.0);
}
