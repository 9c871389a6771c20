/* Values of a description: inheritance, defaults, aliases. tests/import has the texts and the errors. */
#include "wr_test.h"

#include "subsystems/model_host/fmi/description_read.h"

static const char HEAD[] = "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"m\" "
                           "guid=\"g\"><ModelExchange modelIdentifier=\"m\"/>"
                           "<TypeDefinitions><SimpleType name=\"t\"><Real unit=\"m\" "
                           "quantity=\"Length\" min=\"-1\" max=\"INF\" nominal=\"5\"/>"
                           "</SimpleType></TypeDefinitions><ModelVariables>";
static const char TAIL[] = "</ModelVariables><ModelStructure/></fmiModelDescription>";

static wr_description *described(const char *variables)
{
    char text[4096];
    wrsim_error err = {0};
    const int n = snprintf(text, sizeof text, "%s%s%s", HEAD, variables, TAIL);
    wr_description *const d = wr_description_read("d.xml", text, (size_t)n, &err);
    if (!d)
        fail_msg("%s", err.text);
    return d;
}

TEST(inherited_attributes)
{
    AUTO(wr_description_destroy)
    wr_description *d =
        described("<ScalarVariable name=\"a\" valueReference=\"0\"><Real declaredType=\"t\" "
                  "min=\"-2\"/></ScalarVariable>"
                  "<ScalarVariable name=\"b\" valueReference=\"1\"><Real/></ScalarVariable>");
    const wr_fmi_quantity *const a = &d->variable[0].quantity, *const b = &d->variable[1].quantity;
    assert_string_equal(a->unit, "m");
    assert_string_equal(a->quantity, "Length");
    assert_true(a->min == -2.0 && a->max == (double)INFINITY && a->nominal == 5.0);
    assert_true(!b->unit && b->min == -(double)INFINITY && b->max == (double)INFINITY &&
                b->nominal == 1.0);
}

TEST(defaults)
{
    AUTO(wr_description_destroy)
    wr_description *d =
        described("<ScalarVariable name=\"a\" valueReference=\"0\" causality=\"parameter\"><Real "
                  "start=\" +1e0 \"/></ScalarVariable>"
                  "<ScalarVariable name=\"b\" valueReference=\"0\" "
                  "causality=\"output\"><Integer/></ScalarVariable>"
                  "<ScalarVariable name=\"c\" valueReference=\"1\" causality=\"input\"><Real "
                  "start=\"0\"/></ScalarVariable>");
    const wr_fmi_variable *const v = d->variable;
    assert_true(v[0].variability == WR_FMI_FIXED && v[0].initial == WR_FMI_EXACT &&
                v[0].start[0] == 1.0);
    assert_true(v[1].variability == WR_FMI_DISCRETE && v[1].initial == WR_FMI_CALCULATED &&
                v[1].n_start == 0);
    assert_true(v[2].variability == WR_FMI_CONTINUOUS && v[2].initial == WR_FMI_EXACT);
    assert_true(isnan(d->experiment.stop_s) && d->n_indicator == 0);
}

TEST(nominal_values)
{
    AUTO(wr_description_destroy)
    wr_description *d = described(
        "<ScalarVariable name=\"a\" valueReference=\"0\"><Real nominal=\"-2\"/></ScalarVariable>"
        "<ScalarVariable name=\"b\" valueReference=\"1\"><Real nominal=\"0\"/></ScalarVariable>");
    assert_true(d->variable[0].quantity.nominal == 2.0 && d->variable[1].quantity.nominal == 1.0);
}

/* The value references of a base type are one set: Integer and Enumeration share it, Boolean has another. */
TEST(aliases_of_fmi2)
{
    AUTO(wr_description_destroy)
    wr_description *d =
        described("<ScalarVariable name=\"a\" valueReference=\"7\"><Boolean/></ScalarVariable>"
                  "<ScalarVariable name=\"b\" valueReference=\"7\"><Real/></ScalarVariable>"
                  "<ScalarVariable name=\"c\" valueReference=\"7\"><Integer/></ScalarVariable>"
                  "<ScalarVariable name=\"d\" valueReference=\"7\"><Real/></ScalarVariable>"
                  "<ScalarVariable name=\"e\" valueReference=\"7\"><Real/></ScalarVariable>");
    static const int expected[] = {-1, -1, -1, 1, 1};
    for (int i = 0; i < 5; i++)
        assert_int_equal(d->variable[i].alias_of, expected[i]);
}

/* Every beginning of a description is refused with a message. */
TEST(cut_off)
{
    char text[4096];
    const int n = snprintf(text, sizeof text, "%s%s%s", HEAD,
                           "<ScalarVariable name=\"a\" valueReference=\"0\"><Real "
                           "declaredType=\"t\" start=\"1\"/></ScalarVariable>",
                           TAIL);
    for (int i = 0; i < n; i++) {
        wrsim_error err = {0};
        assert_null(wr_description_read("d.xml", text, (size_t)i, &err));
        assert_int_equal(err.status, WRSIM_E_MODEL);
        assert_string_equal(err.file, "d.xml");
        assert_true(err.text[0] && err.line == 1);
    }
}
